-- The connection to the server: starts it, attaches buffers to it, asks it.
local config = require('packhound.config')

local M = {}

local NAME = 'packhound'
local TIMEOUT_MS = 5000

--- The last state of the index that each client was told, by client id.
---@type table<integer, table>
M.states = {}

M.handlers = {
  ['packhound/indexState'] = function(_, state, context)
    M.states[context.client_id] = state
    vim.api.nvim_exec_autocmds('User', { pattern = 'PackhoundState', modeline = false })
    vim.schedule(vim.cmd.redrawstatus)
  end,
}

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
  }
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
    error(config.command() and 'The Packhound server could not be started; :LspLog says why.' or config.not_found, 0)
  end
  vim.wait(TIMEOUT_MS, function()
    return client.initialized
  end, 10)
  return client
end

--- The client for the current buffer, started if need be; raises where there is no server.
---@return vim.lsp.Client
function M.current()
  local bufnr = vim.api.nvim_get_current_buf()
  return running(bufnr) or start(bufnr)
end

--- One request, answered or raised.
---@param method string
---@param params table
---@param timeout_ms integer?
function M.request(method, params, timeout_ms)
  local client = M.current()
  local bufnr = vim.api.nvim_get_current_buf()
  local answer, problem
  if vim.fn.has('nvim-0.11') == 1 then
    answer, problem = client:request_sync(method, params, timeout_ms or TIMEOUT_MS, bufnr)
  else
    answer, problem = client.request_sync(method, params, timeout_ms or TIMEOUT_MS, bufnr)
  end
  if not answer then
    error(('The Packhound server did not answer %s: %s.'):format(method, problem), 0)
  end
  if answer.err then
    error(answer.err.message, 0)
  end
  return answer.result
end

--- One request whose answer is handed to `done(problem, result)`; returns what cancels it.
---@param method string
---@param params table
---@param done fun(problem: string?, result: table?)
---@return fun()
function M.request_async(method, params, done)
  local client = M.current()
  local function handler(failure, result)
    done(failure and failure.message, result)
  end
  local bufnr = vim.api.nvim_get_current_buf()
  if vim.fn.has('nvim-0.11') == 1 then
    local _, id = client:request(method, params, handler, bufnr)
    return function()
      client:cancel_request(id)
    end
  end
  local _, id = client.request(method, params, handler, bufnr)
  return function()
    client.cancel_request(id)
  end
end

--- Tells every running server something; each takes what is about its own files.
---@param method string
---@param params table
function M.tell(method, params)
  for _, client in ipairs(vim.lsp.get_clients({ name = NAME })) do
    if vim.fn.has('nvim-0.11') == 1 then
      client:notify(method, params)
    else
      client.notify(method, params)
    end
  end
end

--- The document and position of the cursor, in the client's encoding.
function M.place()
  local client = M.current()
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  return { uri = params.textDocument.uri, position = params.position }
end

--- Stops every server; the next request or file starts anew.
function M.stop()
  local clients = vim.lsp.get_clients({ name = NAME })
  vim.lsp.stop_client(clients)
  vim.wait(TIMEOUT_MS, function()
    return #vim.lsp.get_clients({ name = NAME }) == 0
  end, 10)
  M.states = {}
end

return M
