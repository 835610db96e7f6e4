-- Why the definition at the cursor ranks where it does for the last query.
local client = require('packhound.client')
local hits = require('packhound.hits')

local M = {}

--- Shows the explanation in a floating window; a second call moves the cursor into it.
---@param query string empty: the last one, asked from where the user was
function M.show(query)
  if query == '' and not hits.last then
    error('Nothing was searched yet. Give the query: :Packhound why <query>', 0)
  end
  local cursor = client.cursor()
  local function params(ready)
    return vim.tbl_extend('error', cursor(ready), { query = query ~= '' and query or nil, git = true })
  end
  client.ask('packhound/explain', params, function(explanation)
    if type(explanation.markdown) ~= 'string' then
      vim.notify('Packhound: there is no definition at the cursor. Move it into one.', vim.log.levels.ERROR)
      return
    end
    local lines = vim.split(explanation.markdown, '\n', { plain = true })
    vim.lsp.util.open_floating_preview(lines, 'markdown', { focus_id = 'packhound', border = 'rounded' })
  end)
end

return M
