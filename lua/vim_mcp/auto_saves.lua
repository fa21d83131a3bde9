-- What Lua functions that autocommands call give to Vim, as far as it stands in files. (Neovim before 0.8 does not tell
-- the functions.)

local M = {}

-- The lines of a function, {} where they are not known. `files` keeps what has been read.
local function lines(callback, files)
  local where = type(callback) == "function" and debug.getinfo(callback, "S") or {}
  local file = (where.source or ""):match("^@(.*)")
  if not file or vim.fn.filereadable(file) == 0 then
    return {}
  end
  files[file] = files[file] or vim.fn.readfile(file)
  return vim.list_slice(files[file], where.linedefined, where.lastlinedefined)
end

-- The strings of lines that give Vim a command, and `write` of `vim.cmd.write(`. What asks for 'buftype' saves files
-- alone.
local function commands(its)
  local found = {}
  for _, line in ipairs(its) do
    if line:find("buftype", 1, true) then
      return {}
    end
    local gives = line:find("cmd", 1, true) or line:find("command", 1, true) or line:find("exec", 1, true)
    for _, pattern in ipairs(gives and { "'([^']*)'", '"([^"]*)"', "%[%[(.-)%]%]", "cmd%.(%a+)" } or {}) do
      for command in line:gmatch(pattern) do
        table.insert(found, command)
      end
    end
  end
  return found
end

-- A list of commands for each function that hears of an event in any buffer; by the names of `events`.
function M.commands(events)
  local found, files = {}, {}
  for _, event in ipairs(events) do
    found[event] = {}
    for _, autocmd in ipairs(vim.api.nvim_get_autocmds({ event = event })) do
      table.insert(found[event], autocmd.buflocal and {} or commands(lines(autocmd.callback, files)))
    end
  end
  return found
end

return M
