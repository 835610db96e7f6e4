-- Lists of hits in whichever picker the user has. Every picker keeps the server's order: none
-- sorts or filters; what is typed is the query, and it goes to the server.
local config = require('packhound.config')
local client = require('packhound.client')
local hits = require('packhound.hits')

local M = {}

---@type { name: string, module: string, adapter: string }[]
local KNOWN = {
  { name = 'telescope', module = 'telescope', adapter = 'packhound.pickers.telescope' },
  { name = 'fzf-lua', module = 'fzf-lua', adapter = 'packhound.pickers.fzf_lua' },
  { name = 'snacks', module = 'snacks', adapter = 'packhound.pickers.snacks' },
  { name = 'mini.pick', module = 'mini.pick', adapter = 'packhound.pickers.mini' },
}

--- The picker that is used: the one that is set, or the first that is there.
---@return string name, string adapter
function M.chosen()
  for _, known in ipairs(KNOWN) do
    if config.values.picker == known.name then
      return known.name, known.adapter
    end
    if not config.values.picker and pcall(require, known.module) then
      return known.name, known.adapter
    end
  end
  return 'select', 'packhound.pickers.select'
end

--- Asks the server and remembers the answer.
---@return table results
function M.search(query)
  hits.last = client.request('packhound/search', { query = query })
  return hits.last
end

--- Search as the user types, where the picker can; `query` is there to begin with.
---@param query string
function M.live(query)
  local _, adapter = M.chosen()
  require(adapter).live({
    title = 'Packhound',
    query = query,
    items = function(typed)
      if vim.trim(typed) == '' then
        return {}
      end
      return hits.items(M.search(typed))
    end,
    open = hits.open,
  })
end

--- A list that is complete.
---@param title string
---@param results table
function M.list(title, results)
  hits.last = results
  if #results.hits == 0 then
    local notes = #results.notes > 0 and table.concat(results.notes, ' ') or 'Nothing was found.'
    vim.notify('Packhound: ' .. notes)
    return
  end
  local _, adapter = M.chosen()
  require(adapter).list({ title = title, items = hits.items(results), open = hits.open })
end

return M
