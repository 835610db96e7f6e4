-- A server that ends by itself is started again for the buffers that it had.
local client = require('packhound.client')

local M = {}

local MOST, WITHIN_MS = 5, 180000
local POLL_MS = 20

-- When servers ended, in milliseconds.
local ends = {}

local function start_again(config, buffers)
  for _, bufnr in ipairs(buffers) do
    if vim.api.nvim_buf_is_loaded(bufnr) then
      vim.lsp.start(config, { bufnr = bufnr })
    end
  end
end

local function when_gone(client_id, run)
  vim.defer_fn(function()
    if vim.lsp.get_client_by_id(client_id) then
      when_gone(client_id, run)
    elseif vim.v.exiting == vim.NIL then
      run()
    end
  end, POLL_MS)
end

--- For a client's `on_exit`. A server that never was ready would only end again.
function M.on_exit(code, signal, client_id)
  local ended = vim.lsp.get_client_by_id(client_id)
  local was_killed = code ~= 0 or (signal ~= 0 and signal ~= 15)
  if not (ended and was_killed and client.states[client_id]) then
    return
  end
  client.states[client_id] = nil
  local now = vim.uv.now()
  ends = vim.tbl_filter(function(time)
    return now - time < WITHIN_MS
  end, ends)
  table.insert(ends, now)
  local config, buffers = ended.config, vim.tbl_keys(ended.attached_buffers)
  when_gone(client_id, function()
    if #ends < MOST then
      start_again(config, buffers)
    else
      ends = {}
      local problem = 'Packhound: the server ended %d times within 3 minutes. :LspLog says why; :Packhound restart starts it.'
      vim.notify(problem:format(MOST), vim.log.levels.ERROR)
    end
  end)
end

return M
