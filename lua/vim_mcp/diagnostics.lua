-- Neovim's diagnostics, with 1-based lines and byte columns; ends are just behind the range.

local M = {}

local SEVERITIES = { "error", "warning", "information", "hint" }

local function code_of(diagnostic)
  local lsp = (diagnostic.user_data or {}).lsp or {}
  local code = diagnostic.code or lsp.code
  local kind = type(code)
  return (kind == "string" or kind == "number") and tostring(code) or nil
end

local function converted(diagnostic)
  return {
    buffer = diagnostic.bufnr,
    line = diagnostic.lnum + 1,
    column = diagnostic.col + 1,
    end_line = diagnostic.end_lnum and diagnostic.end_lnum + 1,
    end_column = diagnostic.end_col and diagnostic.end_col + 1,
    severity = SEVERITIES[diagnostic.severity] or "error",
    message = diagnostic.message,
    source = diagnostic.source,
    code = code_of(diagnostic),
  }
end

-- The diagnostics of the buffer `bufnr`, of all buffers if it is -1.
function M.get(bufnr)
  local found = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(bufnr ~= -1 and bufnr or nil)) do
    if vim.api.nvim_buf_is_valid(diagnostic.bufnr) then
      table.insert(found, converted(diagnostic))
    end
  end
  return found
end

local function is_before(one, other)
  return one[1] < other[1] or (one[1] == other[1] and one[2] < other[2])
end

-- Where the cursor would be at each diagnostic of the current buffer, in order and each place once.
local function places()
  local found = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(0)) do
    local line = math.min(diagnostic.lnum, vim.api.nvim_buf_line_count(0) - 1) + 1
    local length = #vim.fn.getline(line)
    table.insert(found, { line, math.min(diagnostic.col + 1, math.max(length, 1)) })
  end
  table.sort(found, is_before)
  return found
end

-- The place ([line, column]) that is `offset` diagnostics further on than the cursor's (back, if negative), or as many
-- as there are; nil where there is none.
function M.neighbour(line, column, offset)
  local cursor, reached = { line, column }, nil
  local found = places()
  local from, to, step = 1, #found, 1
  if offset < 0 then
    from, to, step = #found, 1, -1
  end
  local left = math.abs(offset)
  for index = from, to, step do
    local place = found[index]
    local further = step > 0 and is_before(reached or cursor, place) or step < 0 and is_before(place, reached or cursor)
    if further and left > 0 then
      reached, left = place, left - 1
    end
  end
  return reached
end

return M
