-- :checkhealth vim_mcp: the findings of autoload/vim_mcp/doctor.vim in Neovim's own form.

local M = {}

-- Since Neovim 0.10 the names have lost their `report_`; before 0.8 they are a module's of its own.
local function reporter(name)
  local health = vim.health or require("health")
  return health[name] or health["report_" .. name]
end

local LEVELS = { ok = "ok", warning = "warn", error = "error" }

function M.check()
  reporter("start")("vim-mcp")
  for _, finding in ipairs(vim.fn["vim_mcp#doctor#now"]()) do
    local report = reporter(LEVELS[finding.level])
    local text = finding.subject .. ": " .. finding.text
    if finding.fix == "" then
      report(text)
    else
      report(text, { finding.fix })
    end
  end
end

return M
