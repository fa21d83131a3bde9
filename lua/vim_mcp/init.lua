-- `require('vim_mcp').setup({access = 'read'})` is `let g:vim_mcp_access = 'read'`, with misspelt names and wrong types
-- told. Whoever sets the variables needs none of this.

local M = {}

local KINDS = {
  switch = 'true or false',
  number = 'a whole number from 0 on',
  string = 'a string',
  list = 'a list of strings',
}

local function is_list_of_strings(value)
  if type(value) ~= 'table' then
    return false
  end
  local count = 0
  for _, item in pairs(value) do
    count = count + 1
    if type(item) ~= 'string' then
      return false
    end
  end
  return count == #value
end

local CHECKS = {
  switch = function(value)
    return type(value) == 'boolean' or value == 0 or value == 1
  end,
  number = function(value)
    return type(value) == 'number' and value >= 0 and value == math.floor(value)
  end,
  string = function(value)
    return type(value) == 'string'
  end,
  list = is_list_of_strings,
}

-- `value` as it is written in Lua, as far as a message has room for it.
local function written(value)
  local text = vim.inspect(value):gsub('%s*\n%s*', ' ')
  return #text > 24 and text:sub(1, 21) .. '...' or text
end

local function listed(items, last)
  local head = table.concat(items, ', ', 1, #items - 1)
  return (head == '' and '' or head .. last) .. items[#items]
end

-- Whether the setting `name`, which takes such kinds, may have `value`, and in words what it takes.
local function fits(name, takes, value)
  if takes[1] == 'choice' then
    local choices = vim.fn['vim_mcp#choices#of'](name)
    return vim.tbl_contains(choices, value), listed(vim.tbl_map(written, choices), ' or ')
  end
  for _, kind in ipairs(takes) do
    if CHECKS[kind](value) then
      return true
    end
  end
  return false, listed(vim.tbl_map(function(kind)
    return KINDS[kind]
  end, takes), ' or ')
end

-- What is wrong with a setting, nil where nothing is.
local function fault(name, value, settings)
  if settings[name] == nil then
    local near = vim.fn['vim_mcp#settings#nearest'](tostring(name))
    local advice = near ~= '' and ('did you mean %s?'):format(near) or 'see :help vim-mcp-settings'
    return ('setup(): no setting %s; %s'):format(name, advice)
  end
  local ok, wanted = fits(name, settings[name], value)
  if not ok then
    return ('setup{%s = %s}: give %s'):format(name, written(value), wanted)
  end
end

-- Sets g:vim_mcp_{name} for each name of `options`, a table or nil. What is wrong is told and left as it was.
function M.setup(options)
  if type(options or {}) ~= 'table' then
    vim.fn['vim_mcp#notice#unasked'](('setup() takes a table, not %s'):format(written(options)))
    return
  end
  local settings = vim.fn['vim_mcp#settings#all']()
  for name, value in pairs(options or {}) do
    local told = fault(name, value, settings)
    if told then
      vim.fn['vim_mcp#notice#unasked'](told)
    else
      vim.g['vim_mcp_' .. name] = type(value) == 'boolean' and (value and 1 or 0) or value
    end
  end
end

return M
