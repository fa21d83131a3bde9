-- `require('vim_mcp').setup({access = 'read'})` is `let g:vim_mcp_access = 'read'`, with misspelt names and wrong types
-- told. Whoever sets the variables needs none of this.

local M = {}

-- `value` as it is written in Lua, as far as a message has room for it.
local function written(value)
  local text = vim.inspect(value):gsub('%s*\n%s*', ' ')
  return #text > 24 and text:sub(1, 21) .. '...' or text
end

local PLAIN = { boolean = true, number = true, string = true }

-- Whether Vim has the like of it. Of a table with both a list and names it would only say that it has not.
local function is_known_to_vim(value)
  local is_list = type(value) == 'table' and #value == vim.tbl_count(value)
  for _, item in ipairs(is_list and value or { value }) do
    if not PLAIN[type(item)] then
      return false
    end
  end
  return true
end

-- Whether the setting may have `value`.
local function fits(name, value)
  return is_known_to_vim(value) and vim.fn['vim_mcp#settings#fits'](name, value) == 1
end

-- What it takes, in words.
local function wanted(name)
  return (vim.fn['vim_mcp#settings#wanted'](name):gsub('^0 or 1$', 'true or false'))
end

-- What is wrong with a setting, nil where nothing is.
local function fault(name, value)
  if vim.fn['vim_mcp#settings#exists'](name) == 0 then
    local near = vim.fn['vim_mcp#settings#nearest'](tostring(name))
    local advice = near ~= '' and ('did you mean %s?'):format(near) or 'see :help vim-mcp-settings'
    return ('setup(): no setting %s; %s'):format(name, advice)
  end
  if not fits(name, value) then
    return ('setup{%s = %s}: give %s'):format(name, written(value), wanted(name))
  end
end

-- Sets g:vim_mcp_{name} for each name of `options`, a table or nil. What is wrong is told and left as it was.
function M.setup(options)
  if type(options or {}) ~= 'table' then
    vim.fn['vim_mcp#notice#unasked'](('setup() takes a table, not %s'):format(written(options)))
    return
  end
  for name, value in pairs(options or {}) do
    local told = fault(name, value)
    if told then
      vim.fn['vim_mcp#notice#unasked'](told)
    else
      vim.g['vim_mcp_' .. name] = type(value) == 'boolean' and (value and 1 or 0) or value
    end
  end
end

return M
