-- What Lua functions that autocommands call give to Vim, as far as it stands in files. (Neovim before 0.8 does not tell
-- the functions.)

local M = {}

-- How many functions deep it is looked, and into how many for one autocommand.
local deepest, most = 4, 50

-- The lines of a function, {} where they are not known. `known.files` keeps what has been read.
local function lines(callback, known)
  local files = known.files
  local where = type(callback) == "function" and debug.getinfo(callback, "S") or {}
  local file = (where.source or ""):match("^@(.*)")
  if not file or vim.fn.filereadable(file) == 0 then
    return {}
  end
  files[file] = files[file] or vim.fn.readfile(file)
  return vim.list_slice(files[file], where.linedefined, where.lastlinedefined)
end

-- The strings of lines that give Vim a command, and `write` of `vim.cmd.write(`.
local function commands(its)
  local found = {}
  for _, line in ipairs(its) do
    local gives = line:find("cmd", 1, true) or line:find("command", 1, true) or line:find("exec", 1, true)
    for _, pattern in ipairs(gives and { "'([^']*)'", '"([^"]*)"', "%[%[(.-)%]%]", "cmd%.(%a+)" } or {}) do
      for command in line:gmatch(pattern) do
        table.insert(found, command)
      end
    end
  end
  return found
end

-- The functions that a function may call by a name: what it has from around it, globals, and fields of tables.
local function called(callback, text)
  local found = {}
  local function add(owner, pattern)
    for field in text:gmatch(type(owner) == "table" and pattern or "^$") do
      table.insert(found, rawget(owner, field))
    end
  end
  for index = 1, 255 do
    local name, value = debug.getupvalue(callback, index)
    if not name then
      break
    end
    table.insert(found, value)
    add(value ~= vim and value, name .. "[.:]([%a_][%w_]*)")
  end
  for module in text:gmatch("require%s*%(?%s*[\"']([%w_.-]+)") do
    add(package.loaded[module], vim.pesc(module) .. "[\"']%s*%)?[.:]([%a_][%w_]*)")
  end
  add(_G, "([%a_][%w_]*)%s*%(")
  return found
end

-- What a function, and what it calls, gives to Vim, into `found`. What asks for 'buftype' calls others for files alone.
local function reach(callback, depth, known, found)
  if type(callback) ~= "function" or known[callback] or #known == most then
    return
  end
  known[callback] = true
  table.insert(known, callback)
  local its = lines(callback, known)
  local text = table.concat(its, "\n")
  if text:find("buftype", 1, true) then
    return
  end
  vim.list_extend(found, commands(its))
  for _, other in pairs(depth > 1 and called(callback, text) or {}) do
    reach(other, depth - 1, known, found)
  end
end

-- A list of commands for each function that hears of an event in any buffer; by the names of `events`.
function M.commands(events)
  local found, files = {}, {}
  for _, event in ipairs(events) do
    found[event] = {}
    for _, autocmd in ipairs(vim.api.nvim_get_autocmds({ event = event })) do
      local given = {}
      reach(not autocmd.buflocal and autocmd.callback, deepest, { files = files }, given)
      table.insert(found[event], given)
    end
  end
  return found
end

return M
