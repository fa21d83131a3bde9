-- A buffer in which nothing ever counts as changed, not even for autocommands that hear of a change first.

local M = {}

local function clear(_, buffer)
  vim.bo[buffer].modified = false
end

-- Keeps 'modified' off in the loaded buffer `buffer` (a number) for as long as it is there.
function M.keep(buffer)
  vim.api.nvim_buf_attach(buffer, false, { on_lines = clear })
end

return M
