-- Declines questions that are asked while Neovim runs something for a client: see autoload/vim_mcp/unattended.vim.
-- Neovim runs no VimScript timer while it waits for the answer, but it does run this callback.

local M = {}

local timer
local declined = 0

function M.start(period)
  declined = 0
  timer = vim.loop.new_timer()
  timer:start(period, period, function()
    if vim.api.nvim_get_mode().mode:find('^r') then
      vim.api.nvim_input(declined > 0 and '<C-c>' or 'n')
      declined = declined + 1
    end
  end)
end

function M.stop()
  timer:close()
  return declined
end

return M
