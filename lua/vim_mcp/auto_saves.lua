-- What Lua functions that autocommands call give to Vim. (Neovim before 0.8 does not tell the functions.)

local M = {}

-- How many functions deep it is looked, and into how many for one autocommand.
local deepest, most = 4, 50

-- The lines of a function, nil where they stand in no file. `files` keeps what has been read.
local function lines(callback, files)
  local where = debug.getinfo(callback, "S")
  local file = where.source:match("^@(.*)")
  if file and vim.fn.filereadable(file) == 1 then
    files[file] = files[file] or vim.fn.readfile(file)
    return vim.list_slice(files[file], where.linedefined, where.lastlinedefined)
  end
end

-- The names and strings in a function whose lines are not known, since it was typed.
local function words(callback)
  local is_lua, code = pcall(string.dump, callback)
  local found = {}
  for word in (is_lua and code or ""):gmatch("[%w%p ]+") do
    -- Before a long one there stands its length.
    vim.list_extend(found, { word, word:sub(2) })
  end
  return found
end

local function gives_command(text)
  return text:find("cmd", 1, true) or text:find("command", 1, true) or text:find("exec", 1, true)
end

-- The strings of lines that give Vim a command, and `write` of `vim.cmd.write(`.
local function commands(its)
  local found = {}
  for _, line in ipairs(its) do
    local gives = gives_command(line)
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

-- The text of a function, in which what it calls has a bracket behind it, and what it may give to Vim.
local function content(callback, files)
  local its = lines(callback, files)
  if its then
    return table.concat(its, "\n"), commands(its)
  end
  its = words(callback)
  local text = table.concat(its, "() ") .. "()"
  return text, gives_command(text) and its or {}
end

-- What a function, and what it calls, gives to Vim, into `found`. What asks for 'buftype' calls others for files alone.
local function reach(callback, depth, known, found)
  if type(callback) ~= "function" or known[callback] or #known == most then
    return
  end
  known[callback] = true
  table.insert(known, callback)
  local text, given = content(callback, known.files)
  if text:find("buftype", 1, true) then
    return
  end
  vim.list_extend(found, given)
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
