-- Whether the language servers have answered for the text that a buffer holds now. What they find goes the usual way,
-- to vim.diagnostic: here it is only noted when.

local M = {}

local PUBLISH, PULL = "textDocument/publishDiagnostics", "textDocument/diagnostic"

-- All times in ms. An answer is not waited for any longer after `LATE`, from a server that has given one before. One
-- that never has, though it is not at work, has none to give after `SILENT`: not every server looks for faults.
local LATE, SILENT = 1500, 10000
-- After it is loaded a buffer may wait so long for a server that is to be started for it.
local YOUNG = 150
-- A request that came to nothing is made again after so long.
local AGAIN = 100
-- After a file was read again an empty list counts if no other follows within this time.
local QUIET = 300

-- By buffer: `revision` counts the texts it has held, `since` when the present one came, `loaded` when it was loaded
-- unseen, `reloads` how often it was read again, `servers` what is known of each by its client's id.
local buffers = {}

local function now()
  return vim.loop.now()
end

local function new_text(state)
  state.revision, state.since = state.revision + 1, now()
end

local function watch(bufnr)
  local state = { revision = 0, since = now(), reloads = 0, servers = {} }
  local attached = vim.api.nvim_buf_attach(bufnr, false, {
    on_lines = function()
      new_text(state)
    end,
    on_reload = function()
      state.reloads = state.reloads + 1
      new_text(state)
    end,
    on_detach = function()
      buffers[bufnr] = nil
    end,
  })
  buffers[bufnr] = attached and state or nil
  return state
end

local function state_of(bufnr)
  return buffers[bufnr] or watch(bufnr)
end

local function published_before(bufnr, id)
  return #vim.diagnostic.get(bufnr, { namespace = vim.lsp.diagnostic.get_namespace(id) })
end

-- What is known of a server for a buffer: `since` when; `answered`, the revision that it has answered for last, if any,
-- which holds from `certain` on; how many diagnostics it has `published` last, and after how many `reloads`; our own
-- request. What was published before anybody listened is an answer.
local function server_of(bufnr, id)
  local state = state_of(bufnr)
  if not state.servers[id] then
    local count = published_before(bufnr, id)
    local answered = count > 0 and state.revision or nil
    state.servers[id] = { since = now(), answered = answered, certain = 0, published = count, reloads = state.reloads }
  end
  return state.servers[id]
end

-- A reload closes the file for the server and opens it again. Many publish an empty list then for the file that is
-- closed, those that had something to say of it before; that is no answer, though it looks like one.
local function note_published(bufnr, id, params)
  local state, server = state_of(bufnr), server_of(bufnr, id)
  local may_be_clearing = #params.diagnostics == 0 and server.reloads ~= state.reloads
  local had_any = server.published > 0
  server.reloads, server.published = state.reloads, #params.diagnostics
  if may_be_clearing and had_any then
    return
  end
  server.certain = may_be_clearing and now() + QUIET or 0
  local of_older_text = type(params.version) == "number" and params.version ~= vim.lsp.util.buf_versions[bufnr]
  server.answered = of_older_text and (server.answered or -1) or state.revision
end

-- The loaded buffer of a URI, nil where there is none.
local function buffer_of(uri)
  local name = vim.uri_to_fname(uri)
  local bufnr = vim.fn.bufexists(name) == 1 and vim.fn.bufadd(name) or -1
  return bufnr > 0 and vim.api.nvim_buf_is_loaded(bufnr) and bufnr or nil
end

local hearing = setmetatable({}, { __mode = "k" })

-- Listen to what a server publishes, whoever handles it.
local function hear(client)
  if hearing[client] then
    return
  end
  hearing[client] = true
  local own = client.handlers[PUBLISH]
  client.handlers[PUBLISH] = function(err, params, ctx, config)
    local bufnr = params and buffer_of(params.uri)
    local handler = own or vim.lsp.handlers[PUBLISH]
    if handler then
      handler(err, params, ctx, config)
    end
    if bufnr then
      note_published(bufnr, client.id, params)
    end
  end
end

-- The clients of a buffer, those that are only being started too.
local function clients_of(bufnr)
  if not package.loaded["vim.lsp"] then
    return {}
  elseif vim.lsp.get_clients then
    return vim.lsp.get_clients({ bufnr = bufnr, _uninitialized = true })
  end
  return vim.tbl_values(vim.lsp.buf_get_clients(bufnr))
end

local function meet(client, bufnr)
  hear(client)
  return server_of(bufnr, client.id)
end

-- Before Neovim 0.11 a client's functions were no methods.
local has_methods = vim.fn.has("nvim-0.11") == 1

local function can_be_asked(client, bufnr)
  if vim.lsp.handlers[PULL] == nil then
    return false
  elseif has_methods then
    return client:supports_method(PULL, bufnr)
  end
  return client.server_capabilities.diagnosticProvider ~= nil
end

local function is_pending(client, request)
  local pending = request and client.requests[request]
  return pending ~= nil and pending.type == "pending"
end

-- Ask a server that is to be asked: Neovim does by itself only where the buffer is seen. A request that is cancelled,
-- be it by Neovim, is not answered at all.
local function ask(client, bufnr, state, server)
  if server.asked == state.revision then
    if is_pending(client, server.request) or now() - server.asked_at < AGAIN then
      return
    end
  end
  local revision = state.revision
  server.asked, server.asked_at = revision, now()
  local params = { textDocument = vim.lsp.util.make_text_document_params(bufnr) }
  local function take(err, result, ctx, config)
    local handler = client.handlers[PULL] or vim.lsp.handlers[PULL]
    handler(err, result, ctx, config)
    if not err then
      server.answered, server.certain = revision, 0
    end
  end
  local sent
  if has_methods then
    sent, server.request = client:request(PULL, params, take, bufnr)
  else
    sent, server.request = client.request(PULL, params, take, bufnr)
  end
  server.request = sent and server.request or nil
end

local function is_at_work(client)
  return client.progress ~= nil and next(client.progress.pending) ~= nil
end

local function has_answered(client, bufnr)
  local state, server = state_of(bufnr), meet(client, bufnr)
  if server.answered == state.revision then
    return now() >= server.certain
  elseif not client.initialized then
    return false
  end
  if can_be_asked(client, bufnr) then
    ask(client, bufnr, state, server)
  end
  if server.answered then
    return now() - state.since >= LATE
  end
  return now() - server.since >= SILENT and not is_at_work(client)
end

-- Whether nothing is waited for any more that a server has to say of the text of the loaded buffer `bufnr`.
function M.settled(bufnr)
  local clients = clients_of(bufnr)
  local settled = #clients > 0 or now() - (state_of(bufnr).loaded or -YOUNG) >= YOUNG
  for _, client in ipairs(clients) do
    settled = has_answered(client, bufnr) and settled -- each is asked at once
  end
  return settled
end

-- The buffer `bufnr` has just been loaded, and nobody sees it.
function M.loaded(bufnr)
  state_of(bufnr).loaded = now()
end

-- Before Neovim 0.8 nothing tells that a server is there but its first answer.
local function on_diagnostics(event)
  for _, client in ipairs(clients_of(event.buf)) do
    if not hearing[client] then
      meet(client, event.buf).answered = state_of(event.buf).revision
    end
  end
end

local function on_attach(event)
  local client = vim.lsp.get_client_by_id(event.data.client_id)
  if client then
    meet(client, event.buf)
  end
end

-- Begin to listen to the servers, those that run and those that come; `group` is of autocommands, whose end ends it.
function M.start(group)
  local has_event = vim.fn.exists("##LspAttach") == 1
  local event, callback = has_event and "LspAttach" or "DiagnosticChanged", has_event and on_attach or on_diagnostics
  vim.api.nvim_create_autocmd(event, { group = group, callback = callback })
  local running = package.loaded["vim.lsp"] and vim.lsp.get_clients and vim.lsp.get_clients() or {}
  for _, client in ipairs(running) do
    for bufnr in pairs(client.attached_buffers) do
      meet(client, bufnr)
    end
  end
end

-- The names of the language servers that run here.
function M.names()
  local clients = (vim.lsp.get_clients or vim.lsp.get_active_clients)()
  return vim.tbl_map(function(client)
    return client.name
  end, clients)
end

return M
