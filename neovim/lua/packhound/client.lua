-- The connection to the server: starts it, attaches buffers to it, sends requests.
local config = require('packhound.config')

local M = {}

local NAME = 'packhound'
local TIMEOUT_MS = 5000
-- `uvx packhound` may have to install it first.
local START_MS = 60000
local POLL_MS = 20
-- A list waits so long for what another server knows.
local OTHER_MS = 2000

--- The last `packhound/indexState` of each client, by client id.
---@type table<integer, table>
M.states = {}

--- No server has anything left to read.
---@return boolean
function M.is_ready()
  return vim.iter(pairs(M.states)):all(function(_, state)
    return state.pending == 0
  end)
end

M.handlers = {
  ['packhound/indexState'] = function(_, state, context)
    M.states[context.client_id] = state
    vim.api.nvim_exec_autocmds('User', { pattern = 'PackhoundState', modeline = false })
    -- Of all windows: the current one may be that of a picker.
    vim.schedule(function()
      vim.cmd.redrawstatus({ bang = true })
    end)
  end,
}

--- Switches the workspaces of all running servers off or on, and those started from now on.
---@param on boolean
function M.turn(on)
  config.values.settings = vim.tbl_deep_extend('force', config.values.settings, { index = { enabled = on } })
  local settings = { packhound = config.values.settings }
  for _, client in ipairs(vim.lsp.get_clients({ name = NAME })) do
    client.settings = settings
  end
  M.notify('workspace/didChangeConfiguration', { settings = settings })
end

--- Loads what starts the server again only when one ends.
function M.on_exit(...)
  require('packhound.restarts').on_exit(...)
end

local function has_file(bufnr)
  return vim.bo[bufnr].buftype == '' and vim.api.nvim_buf_get_name(bufnr) ~= ''
end

local function start_options(root)
  local command = config.command()
  if not command then
    return nil
  end
  return {
    name = NAME,
    cmd = command,
    root_dir = root,
    settings = { packhound = config.values.settings },
    handlers = M.handlers,
    on_exit = M.on_exit,
  }
end

-- What a code lens runs: the list of what it counts.
vim.lsp.commands['packhound.calls'] = function(command)
  local place = command.arguments[1]
  require('packhound.links').symbol('', place)
end

--- Attaches a buffer of a file to the server of its root, which is started if it does not run.
---@param bufnr integer
---@return integer? client_id
function M.attach(bufnr)
  local options = has_file(bufnr) and start_options(config.root(bufnr))
  return options and vim.lsp.start(options, { bufnr = bufnr }) or nil
end

local function start_without_buffer(root)
  local options = start_options(root)
  if not options then
    return nil
  end
  if vim.fn.has('nvim-0.11') == 1 then
    return vim.lsp.start(options, { attach = false })
  end
  return vim.lsp.start_client(options)
end

--- The client that runs for a buffer, or for its root.
local function running(bufnr)
  local of_buffer = vim.lsp.get_clients({ name = NAME, bufnr = bufnr })[1]
  if of_buffer then
    return of_buffer
  end
  local root = config.root(bufnr)
  for _, client in ipairs(vim.lsp.get_clients({ name = NAME })) do
    if client.config.root_dir == root then
      return client
    end
  end
  return nil
end

local function start(bufnr)
  local id = has_file(bufnr) and M.attach(bufnr) or start_without_buffer(config.root(bufnr))
  local client = id and vim.lsp.get_client_by_id(id)
  if not client then
    error(config.command() and 'the server could not be started; :LspLog says why.' or config.not_found, 0)
  end
  -- Without setup() no other file is attached yet, and what they have unsaved would not be found.
  require('packhound').attach_from_now_on()
  return client
end

--- Calls a method of a client; they are functions without `self` before Neovim 0.11.
local function call(client, method, ...)
  if vim.fn.has('nvim-0.11') == 1 then
    return client[method](client, ...)
  end
  return client[method](...)
end

--- The client of a buffer, started if need be and perhaps not initialized yet; raises where there
--- is no server.
---@param bufnr integer? the current buffer by default
---@return vim.lsp.Client
function M.get_or_start(bufnr)
  bufnr = bufnr or vim.api.nvim_get_current_buf()
  return running(bufnr) or start(bufnr)
end

--- Like `get_or_start`, but waits until the client is initialized.
---@return vim.lsp.Client
function M.current()
  local client = M.get_or_start()
  vim.wait(TIMEOUT_MS, function()
    return client.initialized
  end, POLL_MS)
  return client
end

--- Sends a request and waits for the response, which blocks Neovim: for scripts and :checkhealth.
---@param method string
---@param params table
---@param timeout_ms integer?
function M.request(method, params, timeout_ms)
  local client = M.current()
  local bufnr = vim.api.nvim_get_current_buf()
  local response, problem = call(client, 'request_sync', method, params, timeout_ms or TIMEOUT_MS, bufnr)
  if not response then
    error(('The Packhound server did not answer %s: %s.'):format(method, problem), 0)
  end
  if response.err then
    error(response.err.message, 0)
  end
  return response.result
end

--- Sends a request; `done(problem, result)` gets the response, unless it is cancelled before.
--- A server that is not running is started, without waiting for it.
---@param method string
---@param params table|fun(client: vim.lsp.Client): table a function is called once the client is initialized
---@param done fun(problem: string?, result: any)
---@param bufnr integer? whose server is asked; that of the current buffer by default
---@return fun() cancel
function M.request_async(method, params, done, bufnr)
  -- That of a picker that another one has closed is gone.
  bufnr = bufnr and vim.api.nvim_buf_is_valid(bufnr) and bufnr or vim.api.nvim_get_current_buf()
  local client = M.get_or_start(bufnr)
  local deadline = vim.uv.now() + START_MS
  local cancelled, request_id = false, nil
  local function handler(failure, result)
    request_id = nil
    if not cancelled then
      done(failure and failure.message, result)
    end
  end
  local function send()
    if cancelled then
      return
    end
    if call(client, 'is_stopped') or (not client.initialized and vim.uv.now() > deadline) then
      done('the server did not start; :LspLog says why.')
    elseif not client.initialized then
      vim.defer_fn(send, POLL_MS)
    else
      local message = type(params) == 'function' and params(client) or params
      local target = vim.api.nvim_buf_is_valid(bufnr) and bufnr or 0
      local sent
      sent, request_id = call(client, 'request', method, message, handler, target)
      if not sent then
        done('the server has stopped; :Packhound restart starts it again.')
      end
    end
  end
  send()
  return function()
    if not cancelled and request_id then
      call(client, 'cancel_request', request_id)
    end
    cancelled = true
  end
end

--- Like `request_async`, but shows a problem as a message.
---@param done fun(result: any)
---@return fun() cancel
function M.ask(method, params, done)
  return M.request_async(method, params, function(problem, result)
    if problem then
      vim.notify('Packhound: ' .. problem, vim.log.levels.ERROR)
    else
      done(result)
    end
  end)
end

--- Asks another language server of a buffer, if one knows a method; `done` gets nil where none
--- answers in time.
---@param bufnr integer
---@param method string
---@param params table
---@param done fun(result: any?, client: vim.lsp.Client?)
function M.ask_other(bufnr, method, params, done)
  local client = vim.iter(vim.lsp.get_clients({ bufnr = bufnr, method = method })):find(function(each)
    return each.name ~= NAME
  end)
  local function once(result)
    local answered = done
    done = function() end
    answered(result, client)
  end
  if not client then
    return once(nil)
  end
  vim.defer_fn(once, OTHER_MS)
  call(client, 'request', method, params, function(_, result)
    once(result)
  end, bufnr)
end

--- Notifies every running server; each ignores files that are not its own.
---@param method string
---@param params table
function M.notify(method, params)
  for _, client in ipairs(vim.lsp.get_clients({ name = NAME })) do
    call(client, 'notify', method, params)
  end
end

--- Document and position of the cursor in the current window, for `request_async`.
---@return fun(client: vim.lsp.Client): { uri: string, position: lsp.Position }
function M.cursor()
  local window = vim.api.nvim_get_current_win()
  return function(client)
    local params = vim.lsp.util.make_position_params(window, client.offset_encoding)
    return { uri = params.textDocument.uri, position = params.position }
  end
end

--- A function that adds to a request where the user is now, so that what is near ranks higher.
---@return fun(params: table): fun(client: vim.lsp.Client): table
function M.near()
  local is_file = vim.api.nvim_buf_get_name(0) ~= '' and vim.bo.buftype == ''
  local cursor = is_file and M.cursor() or nil
  return function(params)
    return function(client)
      return vim.tbl_extend('force', { focus = cursor and cursor(client) }, params)
    end
  end
end

--- Stops every server without waiting for it; `done` is called when none is left. One that does not
--- end in time is killed.
---@param done fun()
function M.stop(done)
  local deadline = vim.uv.now() + TIMEOUT_MS
  vim.lsp.stop_client(vim.lsp.get_clients({ name = NAME }))
  local function wait()
    local left = vim.lsp.get_clients({ name = NAME })
    if #left == 0 then
      M.states = {}
      done()
      return
    end
    if vim.uv.now() > deadline then
      vim.lsp.stop_client(left, true)
    end
    vim.defer_fn(wait, POLL_MS)
  end
  wait()
end

return M
