-- What Lua in autocommands, and what it calls, gives to Vim.

local M = {}

-- How many functions deep it is looked, and into how many for one autocommand.
local deepest, most = 4, 50

-- How strings stand in a text.
local quoted = { "'([^']*)'", '"([^"]*)"', "%[%[(.-)%]%]" }

-- What has been read of files, for as long as the memory is not wanted.
local files = setmetatable({}, { __mode = "v" })

-- The lines of a function, nil where they stand in no file.
local function lines(callback)
  local where = debug.getinfo(callback, "S")
  local file = where.source:match("^@(.*)")
  if file and vim.fn.filereadable(file) == 1 then
    local all = files[file] or vim.fn.readfile(file)
    files[file] = all
    return vim.list_slice(all, where.linedefined, where.lastlinedefined)
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

-- What stands right behind a word that gives Vim a command, over several lines too.
local function arguments(text)
  local found = {}
  for _, gives in ipairs({ "cmd", "command", "exec2?" }) do
    for _, pattern in ipairs(quoted) do
      for argument in text:gmatch(gives .. "%s*%(?%s*" .. pattern) do
        vim.list_extend(found, vim.split(argument, "\n"))
      end
    end
  end
  return found
end

-- The strings of lines that give Vim a command, and `write` of `vim.cmd.write(`.
local function strings(text)
  local found = arguments(text)
  for line in text:gmatch("[^\n]+") do
    for _, pattern in ipairs(gives_command(line) and { "cmd%.(%a+)", unpack(quoted) } or {}) do
      for command in line:gmatch(pattern) do
        table.insert(found, command)
      end
    end
  end
  return found
end

-- What the text of a function names: of what it has from around it, of globals, and of tables among these.
local function named(callback, text)
  local found = {}
  local function add(value, name)
    table.insert(found, value)
    for field in text:gmatch(type(value) == "table" and value ~= vim and name .. "[.:]([%a_][%w_]*)" or "^$") do
      local inner = rawget(value, field)
      table.insert(found, inner)
      for deeper in text:gmatch(type(inner) == "table" and "[.:]" .. field .. "[.:]([%a_][%w_]*)" or "^$") do
        table.insert(found, rawget(inner, deeper))
      end
    end
  end
  for index = 1, callback and 255 or 0 do
    local name, value = debug.getupvalue(callback, index)
    if not name then
      break
    end
    add(value, vim.pesc(name))
  end
  for module in text:gmatch("require%s*%(?%s*[\"']([%w_.-]+)") do
    add(package.loaded[module], vim.pesc(module) .. "[\"']%s*%)?")
  end
  for name in text:gmatch("([%a_][%w_]*)[%w_.:]*%s*%(") do
    add(rawget(_G, name), name)
  end
  return found
end

-- The text of a function, in which what it calls has a bracket behind it, and what it may give to Vim.
local function content(callback)
  local its = lines(callback)
  if its then
    local text = table.concat(its, "\n")
    return text, strings(text)
  end
  its = words(callback)
  -- An empty string is not among them.
  local text = table.concat(its, "() ") .. "() ''"
  return text, gives_command(text) and its or {}
end

-- Whether a text asks for a 'buftype' that is empty, or for that of a review.
local function is_for_files(text)
  local rest = text:gsub("buftype%s*[=~]=%s*[\"'](%w+)[\"']", function(other)
    return other ~= "acwrite" and "" or nil
  end)
  return rest:find("buftype", 1, true) and (rest:find("''") or rest:find('""') or rest:find("acwrite"))
end

-- What a function, and what it calls, gives to Vim, into `found`. What asks for an empty 'buftype' calls others for
-- files alone.
local function reach(callback, depth, known, found)
  if type(callback) ~= "function" or known[callback] or #known == most then
    return
  end
  known[callback] = true
  table.insert(known, callback)
  local text, given = content(callback)
  if is_for_files(text) then
    return
  end
  vim.list_extend(found, given)
  for _, other in pairs(depth > 1 and named(callback, text) or {}) do
    if type(other) == "string" and gives_command(text) then
      table.insert(found, other)
    end
    reach(other, depth - 1, known, found)
  end
end

-- The commands that Lua in a text of Vim's gives to Vim: `lua code`, `v:lua.code`, or a function as lists of Vim's show
-- it (`<Lua 12: …>`, in older versions `<lua: 12>` and `<Lua function 12>`).
function M.commands(text)
  local known, found = {}, strings(text)
  for number in text:gmatch("<[Ll]ua[%a: ]- (%d+)") do
    reach(debug.getregistry()[tonumber(number)], deepest, known, found)
  end
  for _, other in pairs(named(nil, (text:gsub("v:lua%.", "")))) do
    reach(other, deepest - 1, known, found)
  end
  return found
end

return M
