-- When the last key was typed.

local M = {}

local namespace = vim.api.nvim_create_namespace('vim_mcp_keys')
local now = vim.loop.now
local last = 0

-- A key that a mapping or `:normal` stands for is not typed; an old Neovim does not tell.
local function note(_, typed)
  if typed ~= '' then
    last = now()
  end
end

-- Begins or ends to note keys.
function M.watch(on)
  note()
  vim.on_key(on and note or nil, namespace)
end

-- How long ago the last key was typed, in seconds.
function M.age()
  vim.loop.update_time()
  return (now() - last) / 1000
end

return M
