-- The state of the index as one short text and as a few lines.
local client = require('packhound.client')

local M = {}

local function text(state)
  if state.state == 'indexing' then
    -- In the words of the notes on answers.
    return 'packhound ' .. (state.reading or 'indexing'):gsub(' read so far.*', '')
  end
  if state.state == 'degraded' then
    return 'packhound !'
  end
  return 'packhound ' .. (state.state == 'ready' and '✓' or state.state)
end

--- For a statusline: empty where no server runs for the buffer.
---@return string
function M.statusline()
  local running = vim.lsp.get_clients({ name = 'packhound', bufnr = vim.api.nvim_get_current_buf() })[1]
  if not running then
    return ''
  end
  local state = client.states[running.id]
  return state and text(state) or 'packhound …'
end

---@param state table the response to `packhound/status`
---@return string[]
function M.format(state)
  local pending = state.pending > 0 and (', %d still to be read'):format(state.pending) or ''
  local lines = { ('%s: %d definitions in %d files%s.'):format(state.state, state.nodes, state.files, pending) }
  -- Servers of 0.1 do not say it.
  if state.encoder and state.encoder ~= 'ready' and state.encoder ~= 'off' then
    local vectors = state.pending_vectors > 0 and (', %d still to be encoded'):format(state.pending_vectors) or ''
    table.insert(lines, vim.trim(('encoder: %s%s %s'):format(state.encoder, vectors, state.encoder_problem)))
  end
  return vim.list_extend(lines, state.notes or {})
end

return M
