-- :Packhound and its subcommands.
local client = require('packhound.client')
local hits = require('packhound.hits')
local pickers = require('packhound.pickers')

local M = {}

local function notify(message, level)
  vim.notify('Packhound: ' .. message, level or vim.log.levels.INFO)
end

local function selection(call)
  if call.range == 0 then
    return ''
  end
  local lines = vim.api.nvim_buf_get_lines(0, call.line1 - 1, call.line2, false)
  return table.concat(lines, '\n')
end

local MOST_LINES = 40

--- The line of the cursor, with those after it as far as its brackets go.
local function statement()
  local first, depth, lines = vim.fn.line('.'), 0, {}
  for _, line in ipairs(vim.api.nvim_buf_get_lines(0, first - 1, first - 1 + MOST_LINES, false)) do
    table.insert(lines, line)
    for bracket in line:gmatch('[%[%](){}]') do
      depth = depth + (bracket:match('[%[({]') and 1 or -1)
    end
    if depth <= 0 then
      return table.concat(lines, '\n')
    end
  end
  return lines[1]
end

--- The text that was selected where the range is that of the last selection, else the lines of the
--- range; without one the statement that begins in the line of the cursor.
local function code(call)
  local from, to = vim.fn.getpos("'<"), vim.fn.getpos("'>")
  if call.range == 0 then
    return statement()
  end
  if call.line1 ~= from[2] or call.line2 ~= to[2] or vim.fn.visualmode() ~= 'v' then
    return selection(call)
  end
  return table.concat(vim.fn.getregion(from, to, { type = 'v' }), '\n')
end

--- What is at the cursor as a query: the errors that are shown there, and the lines of the range,
--- else the word where there is no error.
local function here(call)
  local line, column = vim.fn.line('.') - 1, vim.fn.col('.') - 1
  local words = {}
  for _, each in ipairs(vim.diagnostic.get(0, { lnum = line, severity = { min = vim.diagnostic.severity.WARN } })) do
    if call.range > 0 or (each.col <= column and (each.end_lnum > line or column <= each.end_col)) then
      table.insert(words, each.message)
    end
  end
  table.insert(words, call.range > 0 and selection(call) or #words == 0 and vim.fn.expand('<cword>') or nil)
  return vim.trim((table.concat(words, ' '):gsub('%s+', ' ')))
end

local function with_text(text, prompt, done)
  if vim.trim(text) ~= '' then
    done(text)
    return
  end
  vim.ui.input({ prompt = prompt }, function(typed)
    if typed and vim.trim(typed) ~= '' then
      done(typed)
    end
  end)
end

M.subcommands = {
  search = function(text)
    pickers.live(pickers.search_question(), text)
  end,
  resume = function()
    pickers.resume()
  end,
  save = function(text)
    local query = text ~= '' and text or (hits.last or {}).query
    notify(require('packhound.saved').toggle(query))
  end,
  saved = function()
    require('packhound.saved').list()
  end,
  about = function(_, call)
    local text = here(call)
    if text == '' then
      error('There is nothing at the cursor. Put it on a word, or give a range.', 0)
    end
    pickers.live(pickers.search_question(), text)
  end,
  grep = function(text)
    pickers.live(require('packhound.grep').question(), text)
  end,
  quickfix = function(text)
    local show = require('packhound.quickfix').show
    if text ~= '' then
      client.ask('packhound/search', client.near()({ query = text }), function(results)
        hits.last = results
        show(results)
      end)
    elseif hits.last then
      show(hits.last)
    else
      error('Nothing was searched yet. Give the query: :Packhound quickfix <query>', 0)
    end
  end,
  related = function()
    client.ask('packhound/related', client.cursor(), function(results)
      pickers.list('Packhound: related code', results)
    end)
  end,
  like = function(text, call)
    local like = code(call)
    if vim.trim(like) == '' then
      error('There is no code in this line. Select an expression, a statement or a definition.', 0)
    end
    pickers.narrowed('Packhound: structure like this', { query = text, like = like })
  end,
  symbol = function(text)
    require('packhound.links').symbol(vim.trim(text))
  end,
  tests = function(text)
    require('packhound.links').tests(vim.trim(text))
  end,
  changes = function(text)
    require('packhound.links').changes(vim.trim(text))
  end,
  test = function(text)
    require('packhound.tests').list(vim.trim(text))
  end,
  review = function(text)
    local pack = require('packhound.pack')
    local _, budget = pack.read(text)
    -- The server packs exactly the changes for this prompt.
    pack.open('Review my uncommitted changes', budget)
  end,
  map = function(text)
    local pack = require('packhound.pack')
    local _, budget = pack.read(text)
    pack.open(nil, budget)
  end,
  note = function(text)
    require('packhound.notes').add(text)
  end,
  notes = function()
    require('packhound.notes').list()
  end,
  proposals = function()
    require('packhound.proposals').list()
  end,
  accept = function(text)
    require('packhound.proposals').accept(vim.trim(text))
  end,
  check = function(text)
    require('packhound.proposals').check(vim.trim(text))
  end,
  reject = function(text)
    require('packhound.proposals').reject(vim.trim(text))
  end,
  why = function(text)
    require('packhound.why').show(text)
  end,
  pack = function(text, call)
    local pack = require('packhound.pack')
    local prompt, budget, conversation = pack.read(text)
    with_text(prompt ~= '' and prompt or selection(call), 'Pack context for: ', function(typed)
      pack.open(typed, budget, conversation)
    end)
  end,
  status = function()
    client.ask('packhound/status', vim.empty_dict(), function(state)
      notify(table.concat(require('packhound.status').format(state), '\n'))
    end)
  end,
  off = function()
    client.turn(false)
    notify('off in this workspace until :Packhound on.')
  end,
  on = function()
    client.turn(true)
    notify('on in this workspace.')
  end,
  rebuild = function()
    client.ask('packhound/rebuild', vim.empty_dict(), function()
      notify('the index is being built again.')
    end)
  end,
  forget = function()
    client.ask('packhound/forget', vim.empty_dict(), function()
      notify('forgot what you opened, edited and picked.')
    end)
  end,
  restart = function()
    local bufnr = vim.api.nvim_get_current_buf()
    client.stop(function()
      require('packhound').attach_all()
      client.request_async('packhound/status', vim.empty_dict(), function(problem)
        notify(problem or 'the server was restarted.', problem and vim.log.levels.ERROR)
      end, vim.api.nvim_buf_is_valid(bufnr) and bufnr or nil)
    end)
  end,
}

---@return string[]
function M.names()
  local names = vim.tbl_keys(M.subcommands)
  table.sort(names)
  return names
end

function M.run(call)
  local name, text = call.args:match('^(%S+)%s*(.*)$')
  local subcommand = M.subcommands[name or 'search']
  if not subcommand then
    notify(("'%s' is not a subcommand; expected one of: %s"):format(name, table.concat(M.names(), ', ')), vim.log.levels.ERROR)
    return
  end
  local fine, problem = pcall(subcommand, text or '', call)
  if not fine then
    notify(tostring(problem), vim.log.levels.ERROR)
  end
end

local TYPES = { 'code', 'note', 'decision', 'stash', 'knowledge', 'skill', 'episode', 'commit', 'all' }
local FILTERS = { 'kind:', 'lang:', 'path:', 'tests:no', 'tests:only', 'since:', 'before:', 'tag:' }
for _, type in ipairs(TYPES) do
  table.insert(FILTERS, 'type:' .. type)
end

local BUDGETS = { 'budget=4k', 'budget=8k', 'budget=16k' }

--- What may follow each subcommand.
local ARGUMENTS = {
  search = FILTERS,
  quickfix = FILTERS,
  save = FILTERS,
  note = { 'insight', 'decision', 'stash' },
  pack = BUDGETS,
  review = BUDGETS,
}

function M.complete(lead, line)
  local subcommand = line:match('Packhound%s+(%S+)%s')
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, subcommand and ARGUMENTS[subcommand] or not subcommand and M.names() or {})
end

return M
