-- Neovim's end of the connection to the hub: a pipe whose raw callback splits and decodes what arrives, so that it can
-- answer "waiting for a key" while Neovim itself runs no VimScript. autoload/vim_mcp/transport.vim is its only caller.

local uv = vim.uv or vim.loop
local M = {}

-- How long a request may lie before the hub hears that it waits for the person.
local PATIENCE_MS = 150

local current

local WAITING = {
  r = "a key (hit-enter prompt)",
  rm = "a key (more prompt)",
  ["r?"] = "an answer (confirm prompt)",
  ["!"] = "a shell command to end",
}

local BLOCKED = {
  n = "a key (unfinished command)",
  i = "a key (unfinished command in insert mode)",
  R = "a key (unfinished command in replace mode)",
  c = "a key (unfinished command on the command line)",
  v = "a key (unfinished command in visual mode)",
  V = "a key (unfinished command in visual mode)",
  ["\22"] = "a key (unfinished command in visual mode)",
  t = "a key (unfinished command in terminal mode)",
}

-- What an editor in `mode` (nvim_get_mode()) that runs nothing waits for.
local function waiting_for(mode)
  if WAITING[mode.mode] then
    return WAITING[mode.mode]
  elseif mode.mode:sub(1, 2) == "no" then
    return "a motion (pending operator)"
  elseif mode.blocking then
    return BLOCKED[mode.mode:sub(1, 1)] or "a key"
  end
  return "a running command to end"
end

local function write(connection, message)
  local data = vim.json.encode(message) .. "\n"
  if not connection.pipe:is_closing() then
    connection.pipe:write(data)
  end
end

local function tell_waiting(connection)
  if next(connection.waiting) then
    local mode = vim.api.nvim_get_mode()
    write(connection, { type = "waiting", mode = mode.mode, waiting_for = waiting_for(mode) })
  end
end

local function watch(connection)
  if not connection.timer:is_active() then
    connection.timer:start(PATIENCE_MS, 0, function()
      tell_waiting(connection)
    end)
  end
end

local function notify(connection, name, ...)
  if connection == current then
    vim.call("vim_mcp#transport#" .. name, connection.number, ...)
  end
end

local function deliver(connection, message)
  vim.schedule(function()
    notify(connection, "received", message)
  end)
end

-- A request stands in `waiting` until VimScript gets it; one that is withdrawn by then has lost its method.
local function take_request(connection, message)
  local id = message.id or 0
  connection.waiting[id] = message
  watch(connection)
  vim.schedule(function()
    connection.waiting[id] = nil
    if message.method then
      notify(connection, "received", message)
    end
  end)
end

local function take(connection, line)
  local ok, message = pcall(vim.json.decode, line)
  if not ok or type(message) ~= "table" then
    return
  end
  if message.method ~= nil then
    take_request(connection, message)
  elseif message.cancel ~= nil and connection.waiting[message.cancel] then
    connection.waiting[message.cancel].method = nil
  else
    deliver(connection, message)
  end
end

-- Splits what has arrived into lines. The pieces of a long line are joined once, not at each arrival.
local function feed(connection, chunk)
  local from = 1
  local newline = chunk:find("\n", from, true)
  while newline do
    table.insert(connection.pieces, chunk:sub(from, newline - 1))
    local line = table.concat(connection.pieces)
    connection.pieces = {}
    take(connection, line)
    from = newline + 1
    newline = chunk:find("\n", from, true)
  end
  if from <= #chunk then
    table.insert(connection.pieces, chunk:sub(from))
  end
end

local function lost(connection)
  vim.schedule(function()
    notify(connection, "lost")
  end)
end

local function connected(connection)
  connection.pipe:read_start(function(failure, chunk)
    if failure or not chunk then
      lost(connection)
    else
      feed(connection, chunk)
    end
  end)
  vim.schedule(function()
    notify(connection, "opened")
  end)
end

-- Dials the unix socket `path`. VimScript hears of it as connection `number`: opened, received, lost.
function M.open(number, path)
  local connection = { number = number, pieces = {}, waiting = {}, pipe = uv.new_pipe(false), timer = uv.new_timer() }
  current = connection
  connection.pipe:connect(path, function(failure)
    if failure then
      lost(connection)
    else
      connected(connection)
    end
  end)
end

-- Sends `message` on connection `number`; raises an error when it cannot be put into JSON.
function M.send(number, message)
  if current and current.number == number then
    write(current, message)
  end
end

-- Hangs up. What was written before goes out first, as far as the socket takes it.
function M.close()
  local connection = current
  current = nil
  if connection then
    connection.timer:stop()
    connection.timer:close()
    if not connection.pipe:is_closing() then
      connection.pipe:close()
    end
  end
end

return M
