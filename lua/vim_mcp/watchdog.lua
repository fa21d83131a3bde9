-- Neovim's side of autoload/vim_mcp/watchdog.vim: a raw timer callback, which runs in loops and while a shell command
-- runs, and may call nvim_get_mode() and nvim_input() there.

local uv = vim.loop
local M = {}

-- How many looks in a row must see a command line before it is taken for a question: a command-line window that closes
-- by itself passes through one, and would stay open if it were interrupted there.
local PATIENCE = 5

local timer
local reason = ""
local command_lines = 0

local function is_prompt(mode)
  command_lines = mode.mode:sub(1, 1) == "c" and command_lines + 1 or 0
  return mode.blocking or mode.mode:sub(1, 1) == "r" or command_lines >= PATIENCE
end

-- What there is to interrupt: the mode of a prompt, "time" when it is `late`, else nil.
local function to_interrupt(late)
  local mode = vim.api.nvim_get_mode()
  return is_prompt(mode) and mode.mode or late and "time" or nil
end

-- Look every `step` ms: a prompt is interrupted at once, all else after `timeout` ms.
function M.start(step, timeout)
  local deadline = uv.hrtime() + timeout * 1e6
  reason, command_lines = "", 0
  timer = uv.new_timer()
  timer:start(step, step, function()
    local found = to_interrupt(uv.hrtime() >= deadline)
    if found then
      reason = found
      vim.api.nvim_input("<C-c>")
    end
  end)
end

-- Stop looking; what was interrupted last ("time", or the mode of a prompt), or "". It may be called again.
function M.stop()
  if timer then
    timer:stop()
    timer:close()
    timer = nil
  end
  return reason
end

return M
