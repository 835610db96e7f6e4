-- Why the definition at the cursor ranks where it does for the last query.
local client = require('packhound.client')
local hits = require('packhound.hits')

local M = {}

--- Shows the account in a floating window; a second call moves the cursor into it.
---@param query string empty: the last query
function M.show(query)
  if query == '' and hits.last then
    query = hits.last.query
  end
  if query == '' then
    error('Nothing was searched yet. Give the query: :Packhound why <query>', 0)
  end
  local params = vim.tbl_extend('error', client.place(), { query = query })
  local found = client.request('packhound/explain', params)
  if type(found.markdown) ~= 'string' then
    error('There is nothing at the cursor that a search could find. Move it into a definition.', 0)
  end
  local lines = vim.split(found.markdown, '\n', { plain = true })
  return vim.lsp.util.open_floating_preview(lines, 'markdown', { focus_id = 'packhound', border = 'rounded' })
end

return M
