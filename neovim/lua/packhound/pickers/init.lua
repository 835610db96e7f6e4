-- Lists of hits in whichever picker the user has. Every picker keeps the server's order: none
-- sorts or filters; what is typed is the query, and it goes to the server. No picker waits for the
-- server: a key cancels the search before it, and the rows come when they come. Those that can change
-- their rows in place get a second answer, by the deep model, when typing rests.
local config = require('packhound.config')
local client = require('packhound.client')
local hits = require('packhound.hits')
local refresh = require('packhound.refresh')
local to_quickfix = require('packhound.quickfix').put

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
    local is_set = config.values.picker == entry.name
    if (is_set or not config.values.picker) and pcall(require, entry.module) then
      return entry.name, entry.adapter
    end
    if is_set then
      error(("the picker of setup() is '%s', which is not installed."):format(entry.name), 0)
    end
  end
  return 'select', 'packhound.pickers.select'
end

-- An answer that takes longer is announced, so that nobody takes an old list for it.
local SLOW_MS = 200
-- The deep model and remote repositories take time: they are asked when typing rests.
local REST_MS = 500

--- The deep model gives a second answer, not the first one, and not none.
local function is_refined()
  return (vim.tbl_get(config.values.settings, 'search', 'deep') or 'auto') == 'auto'
end

--- There are repositories to search beside the folder; a file of the user may name them too.
---@param answer table of `packhound/config`
---@return boolean
local function names_remotes(answer)
  return vim.iter(answer.roots):any(function(root)
    return vim.iter(root.settings):any(function(row)
      return row.name == 'team.remotes' and row.value[1] ~= nil
    end)
  end)
end

---@class packhound.Question what a picker asks the server at each key
---@field title string
---@field method string
---@field params fun(text: string): table
---@field rows fun(answer: table): packhound.Item[]
---@field refines boolean? there is a second answer, by the deep model and of remote repositories

---@return packhound.Question
function M.search_question()
  return {
    title = 'Packhound',
    method = 'packhound/search',
    params = function(text)
      return { query = text }
    end,
    rows = function(results)
      hits.last = results
      return hits.rows(results)
    end,
    refines = true,
  }
end

--- A function that asks the server of the current buffer: each call cancels the one before.
--- `show` gets the items of the last one; the functions of `later` are called where they are there:
--- `slow` if the answer takes long, `better` with the items of a second answer once typing rests.
---@param question packhound.Question
---@return fun(text: string, show: fun(items: table[]), later: table?): fun() cancel
function M.asker(question)
  local bufnr = vim.api.nvim_get_current_buf()
  local near = client.near()
  local cancel = function() end
  local has_remotes
  return function(text, show, later)
    later = later or {}
    M.latest = { question = question, text = text }
    cancel()
    local cancel_request, cancelled, answered = function() end, false, false
    cancel = function()
      cancelled = true
      cancel_request()
    end
    if vim.trim(text) == '' then
      show({})
      return cancel
    end
    -- Where the second answer fails or comes too late, the first one stands.
    local function refine()
      if cancelled then
        return
      end
      local deep = is_refined()
      if not deep and has_remotes == nil then
        cancel_request = client.request_async('packhound/config', {}, function(_, answer)
          has_remotes = answer and names_remotes(answer)
          if has_remotes then
            refine()
          end
        end, bufnr)
        return
      end
      if not deep and not has_remotes then
        return
      end
      local params = near(vim.tbl_extend('error', question.params(text), { deep = deep, remotes = true }))
      cancel_request = client.request_async(question.method, params, function(_, results)
        if results and later.better(hits.rows(results)) then
          hits.last = results
        end
      end, bufnr)
    end
    cancel_request = client.request_async(question.method, near(question.params(text)), function(problem, answer)
      answered = true
      if problem then
        -- While a pattern is being typed what is wrong will do, without the rule.
        show(hits.below_notes({ problem:match("^'%w+' is '.*'; (.-); must be ") or problem }, {}))
        return
      end
      M.partial = refresh.is_partial(answer)
      show(question.rows(answer))
      if later.better and question.refines then
        vim.defer_fn(refine, REST_MS)
      end
    end, bufnr)
    vim.defer_fn(function()
      if later.slow and not answered and not cancelled then
        later.slow()
      end
    end, SLOW_MS)
    return cancel
  end
end

--- Calls `run` when the index is ready, if the last answer was of a part of it.
---@param run fun()
local function when_ready(run)
  M.partial = false
  refresh.on_ready('picker', function()
    if M.partial then
      M.partial = false
      run()
    end
  end)
end

--- Asks as the user types, where the picker can; `text` is there to begin with.
---@param question packhound.Question
---@param text string
function M.live(question, text)
  client.get_or_start() -- Raises here rather than at each key.
  local _, adapter = M.chosen()
  require(adapter).live({
    title = question.title,
    busy_title = question.title .. ': searching …',
    query = text,
    search = M.asker(question),
    when_ready = when_ready,
    open = hits.open,
    to_quickfix = to_quickfix,
  })
end

--- Asks again what was asked last, from where the user is now.
function M.resume()
  if not M.latest then
    error('Nothing was searched yet.', 0)
  end
  M.live(M.latest.question, M.latest.text)
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
  require(adapter).list({ title = title, items = items, open = hits.open, to_quickfix = to_quickfix })
end

--- A list of what a search with more than a query finds.
---@param title string
---@param params table of packhound/search
function M.narrowed(title, params)
  client.ask('packhound/search', client.near()(params), function(results)
    M.list(title, vim.tbl_extend('force', results, { asked = params }))
  end)
end

--- A list of results that are there already.
---@param title string
---@param results table
function M.list(title, results)
  hits.last = results
  M.show(title, hits.rows(results), 'nothing was found.')
end

return M
