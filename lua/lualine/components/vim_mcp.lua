-- A component for lualine: what Claude does, such as `Claude waiting, 1 diff`.
return function()
  return vim.fn['vim_mcp#statusline']()
end
