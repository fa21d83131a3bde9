-- Neovim's side of autoload/vim_mcp/watchdog.vim: a raw timer callback, which runs in loops and while a shell command
-- runs, and may call nvim_get_mode() and nvim_input() there.

local uv = vim.loop
local M = {}

local timer
local asked = ""

local function is_prompt(mode)
  return mode.blocking or mode.mode:find("^[cr]") ~= nil
end

-- Look every `step` ms: a prompt is interrupted at once, all else after `timeout` ms.
function M.start(step, timeout)
  local deadline = uv.now() + timeout
  asked = ""
  timer = uv.new_timer()
  timer:start(step, step, function()
    local mode = vim.api.nvim_get_mode()
    if is_prompt(mode) then
      asked = mode.mode
      vim.api.nvim_input("<C-c>")
    elseif uv.now() >= deadline then
      vim.api.nvim_input("<C-c>")
    end
  end)
end

-- Stop looking; the mode of the last prompt that was interrupted, or "".
function M.stop()
  timer:stop()
  timer:close()
  return asked
end

return M
