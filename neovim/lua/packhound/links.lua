-- What a definition or the uncommitted changes touch, as items of a list.
local client = require('packhound.client')
local hits = require('packhound.hits')

local M = {}

local MOST_TESTS = 5
local SECTIONS = {
  { 'callers', 'called by' },
  { 'mentions', 'uses this name' },
  { 'callees', 'calls' },
  { 'implementations', 'implemented by' },
  { 'tests', 'test' },
}

local function item(link, words, line)
  -- A line in a notebook's cells is not one of its file.
  local lnum = not link.path:match('%.ipynb$') and line or link.selectionRange.start.line + 1
  local remarks = {}
  if (link.distance or 1) > 1 then
    table.insert(remarks, link.distance .. ' calls away')
  end
  if link.grade and link.grade ~= 'resolved' then
    table.insert(remarks, link.grade)
  end
  if link.by then
    table.insert(remarks, 'by ' .. link.by)
  end
  local place = link.path .. ':' .. lnum
  local text, dim = hits.row(words .. '  ' .. hits.title(link), place, table.concat(remarks, ', '))
  return { text = text, dim = dim, path = vim.uri_to_fname(link.uri), lnum = lnum, end_lnum = lnum, col = 1 }
end

--- Replaces the callers by those that the language's own server knows, which has them from types.
local function with_callers_of_language(answer, done)
  local bufnr = vim.uri_to_bufnr(answer.uri)
  local place = { textDocument = { uri = answer.uri }, position = answer.selectionRange.start }
  client.ask_other(bufnr, 'textDocument/prepareCallHierarchy', place, function(items)
    if not items or not items[1] then
      return done()
    end
    client.ask_other(bufnr, 'callHierarchy/incomingCalls', { item = items[1] }, function(calls, other)
      local is_test = {}
      for _, test in ipairs(answer.tests) do
        is_test[test.uri .. test.name] = true
      end
      local callers = {}
      for _, call in ipairs(calls or {}) do
        local from = call.from
        local line = (call.fromRanges[1] or from.selectionRange).start.line + 1
        local link = { qualname = from.name, line = line, by = other.name, uri = from.uri }
        link.path, link.selectionRange = vim.fn.fnamemodify(vim.uri_to_fname(from.uri), ':.'), from.selectionRange
        if not is_test[from.uri .. from.name] then
          table.insert(callers, link)
        end
      end
      if calls and #calls > 0 then
        answer.callers, answer.mentions = callers, {}
      end
      done()
    end)
  end)
end

--- Lists what calls a definition and what it calls, what implements it, and the tests that reach it.
---@param name string empty: the definition at the place
---@param place table? a document and a position; the cursor by default
function M.symbol(name, place)
  local params = name ~= '' and { name = name } or place or client.cursor()
  local function show(answer)
    local items = {}
    for _, section in ipairs(SECTIONS) do
      for _, link in ipairs(answer[section[1]]) do
        -- The line of a callee's call is in the definition itself.
        table.insert(items, item(link, section[2], section[1] ~= 'callees' and link.line or nil))
      end
    end
    local nothing = 'nothing calls it, and it calls nothing of this workspace.'
    local title = 'Packhound: ' .. hits.title(answer)
    if #answer.mentions > 0 and #answer.callers == 0 then
      title = ('%s · no known caller, lines that use its name: %d'):format(title, answer.totals.mentions)
    end
    require('packhound.pickers').show(title, items, nothing)
  end
  client.ask('packhound/symbol', params, function(answer)
    with_callers_of_language(answer, function()
      show(answer)
    end)
  end)
end

--- Lists the tests that reach a definition; where none does, those about its name.
---@param name string empty: the definition at the cursor
function M.tests(name)
  local pickers = require('packhound.pickers')
  client.ask('packhound/symbol', name ~= '' and { name = name } or client.cursor(), function(answer)
    if #answer.tests == 0 then
      pickers.live(pickers.search_question(), hits.title(answer) .. ' tests:only')
      return
    end
    local items = vim.tbl_map(function(link)
      return item(link, 'test', link.line)
    end, answer.tests)
    pickers.show('Packhound: tests of ' .. hits.title(answer), items, '')
  end)
end

--- Lists what breaks by what differs from a commit, what that is, the tests to run, the callers, and what may change too.
---@param base string empty: what is not committed
function M.changes(base)
  local root = require('packhound.config').root(vim.api.nvim_get_current_buf())
  local params = base ~= '' and { base = base } or vim.empty_dict()
  client.ask('packhound/changes', params, function(answer)
    local items = {}
    local function add_file(words, file)
      local text = vim.trim(('%s  %s  %s'):format(words, file.path, table.concat(file.reasons or {}, ', ')))
      local path = vim.fs.joinpath(file.root or root, file.path)
      table.insert(items, { text = text, path = path, lnum = 1, end_lnum = 1, col = 1 })
    end
    for _, kind in ipairs({ 'unresolved', 'calls', 'lacking', 'imports' }) do
      for _, place in ipairs(answer[kind]) do
        local gone = place.gone and place.gone .. ' is gone' or place.uses
        table.insert(items, item(place, 'breaks by it, ' .. gone .. ':', place.line))
      end
    end
    for _, definition in ipairs(answer.definitions) do
      table.insert(items, item(definition, 'changed', definition.lines[1] and definition.lines[1][1]))
    end
    for _, file in ipairs(answer.files) do
      add_file('changed', file)
    end
    for _, file in ipairs(answer.renamed) do
      add_file('renamed from ' .. file.old_path, file)
    end
    local listed = {}
    for _, test in ipairs(vim.list_slice(answer.tests, 1, MOST_TESTS)) do
      add_file('test to run', test)
      listed[(test.root or '') .. test.path] = true
    end
    for _, definition in ipairs(answer.definitions) do
      for _, link in ipairs(definition.callers) do
        table.insert(items, item(link, 'caller', link.line))
      end
    end
    for _, file in ipairs(answer.related) do
      if not listed[(file.root or '') .. file.path] then
        add_file('changes too', file)
      end
    end
    require('packhound.pickers').show('Packhound: changes', items, 'nothing differs.')
  end)
end

return M
