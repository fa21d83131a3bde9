-- Whether the person has just pressed a key: what scripts and mappings type counts as nothing (Neovim since 0.11 says).

local M = {}

local namespace = vim.api.nvim_create_namespace("vim_mcp_pressed")
local uv = vim.uv or vim.loop
local last = 0

local function note(_, typed)
  if typed and typed ~= "" then
    last = uv.now()
  end
end

-- Begins (true) or ends (false) to note keys.
function M.watch(on)
  vim.on_key(on and note or nil, namespace)
end

-- How long ago it was, in ms.
function M.age()
  uv.update_time()
  return uv.now() - last
end

return M
