-- Lists of hits in whichever picker the user has. Every picker keeps the server's order: none
-- sorts or filters; what is typed is the query, and it goes to the server. No picker waits for the
-- server: a key cancels the search before it, and the rows come when they come.
local config = require('packhound.config')
local client = require('packhound.client')
local hits = require('packhound.hits')

local M = {}

---@type { name: string, module: string, adapter: string }[]
local ADAPTERS = {
  { name = 'telescope', module = 'telescope', adapter = 'packhound.pickers.telescope' },
  { name = 'fzf-lua', module = 'fzf-lua', adapter = 'packhound.pickers.fzf_lua' },
  { name = 'snacks', module = 'snacks', adapter = 'packhound.pickers.snacks' },
  { name = 'mini.pick', module = 'mini.pick', adapter = 'packhound.pickers.mini' },
}

--- The picker that is used: the one that is set, or the first that is installed.
---@return string name, string adapter
function M.chosen()
  for _, entry in ipairs(ADAPTERS) do
    if config.values.picker == entry.name then
      return entry.name, entry.adapter
    end
    if not config.values.picker and pcall(require, entry.module) then
      return entry.name, entry.adapter
    end
  end
  return 'select', 'packhound.pickers.select'
end

-- An answer that takes longer is announced, so that nobody takes an old list for it.
local SLOW_MS = 200

--- A function that searches for the server of the current buffer: each call cancels the one before,
--- `done` gets the items of the last one, and `on_slow` is called if they take long.
---@return fun(query: string, done: fun(items: table[]), on_slow: fun()?): fun() cancel
function M.live_search()
  local bufnr = vim.api.nvim_get_current_buf()
  local near = client.near()
  local cancel = function() end
  return function(query, done, on_slow)
    cancel()
    cancel = function() end
    if vim.trim(query) == '' then
      done({})
      return cancel
    end
    local pending = true
    local cancel_request = client.request_async('packhound/search', near({ query = query }), function(problem, results)
      pending = false
      if problem then
        vim.notify('Packhound: ' .. problem, vim.log.levels.ERROR)
        done({})
      else
        hits.last = results
        M.partial = M.is_partial(results)
        done(hits.rows(results))
      end
    end, bufnr)
    cancel = function()
      pending = false
      cancel_request()
    end
    if on_slow then
      vim.defer_fn(function()
        if pending then
          on_slow()
        end
      end, SLOW_MS)
    end
    return cancel
  end
end

--- The answer is of a part of the files: a note says how many were read.
---@param results table
function M.is_partial(results)
  return vim.iter(results.notes):any(function(note)
    return note:match('%d files read') ~= nil
  end)
end

--- Calls `refresh` when the index is ready, if the last answer was of a part of it.
---@param refresh fun()
local function when_ready(refresh)
  M.partial = false
  vim.api.nvim_create_autocmd('User', {
    group = vim.api.nvim_create_augroup('packhound_refresh', {}),
    pattern = 'PackhoundState',
    callback = function()
      if M.partial and client.is_ready() then
        M.partial = false
        vim.schedule(refresh)
      end
    end,
  })
end

--- Search as the user types, where the picker can; `query` is there to begin with.
---@param query string
function M.live(query)
  client.get_or_start() -- Raises here rather than at each key.
  local _, adapter = M.chosen()
  require(adapter).live({
    title = 'Packhound',
    busy_title = 'Packhound: searching …',
    query = query,
    search = M.live_search(),
    when_ready = when_ready,
    open = hits.open,
  })
end

--- A list of items that are there already.
---@param title string
---@param items table[]
---@param nothing string what to say where there are none
function M.show(title, items, nothing)
  if #items == 0 then
    vim.notify('Packhound: ' .. nothing)
    return
  end
  local _, adapter = M.chosen()
  require(adapter).list({ title = title, items = items, open = hits.open })
end

--- A list of results that are there already.
---@param title string
---@param results table
function M.list(title, results)
  hits.last = results
  M.show(title, hits.rows(results), 'nothing was found.')
end

return M
