-- File explorers that only Neovim has. Each tells what is under the cursor, and what the user has marked in it. Nothing
-- is loaded: an explorer that is shown is loaded.

local M = {}

-- By 'filetype': the module that each function is given.
local explorers = {
  NvimTree = {
    module = "nvim-tree.api",
    at = function(api)
      local node = api.tree.get_node_under_cursor()
      return node and node.absolute_path
    end,
    marked = function(api)
      return vim.tbl_map(function(node)
        return node.absolute_path
      end, api.marks.list())
    end,
  },
  ["neo-tree"] = {
    module = "neo-tree.sources.manager",
    at = function(manager)
      local state = manager.get_state_for_window(vim.api.nvim_get_current_win())
      local node = state and state.tree and state.tree:get_node(vim.api.nvim_win_get_cursor(0)[1])
      return node and (node.path or node:get_id())
    end,
  },
  oil = {
    module = "oil",
    at = function(oil)
      local entry = oil.get_entry_on_line(0, vim.api.nvim_win_get_cursor(0)[1])
      local directory = oil.get_current_dir(0)
      return entry and directory and directory .. entry.name
    end,
  },
  minifiles = {
    module = "mini.files",
    at = function(files)
      local entry = files.get_fs_entry(0, vim.api.nvim_win_get_cursor(0)[1])
      return entry and entry.path
    end,
  },
}

local function ask(what, filetype, nothing)
  local explorer = explorers[filetype]
  local module = package.loaded[explorer.module]
  return module and explorer[what] and explorer[what](module) or nothing
end

--- Whether a buffer with this 'filetype' is one of them.
function M.knows(filetype)
  return explorers[filetype] ~= nil
end

--- The full name of what is under the cursor in an explorer with this 'filetype', or "".
function M.at(filetype)
  return ask("at", filetype, "")
end

--- The full names of what is marked there.
function M.marked(filetype)
  return ask("marked", filetype, {})
end

return M
