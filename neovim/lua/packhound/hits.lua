-- Hits as rows of a list, as quickfix entries, and as locations to open.
local client = require('packhound.client')
local records = require('packhound.records')

local M = {}

--- The results of the last search or list of related code.
---@type table?
M.last = nil

function M.title(hit)
  if hit.qualname ~= '' then
    return hit.qualname
  end
  return hit.name ~= '' and hit.name or vim.fs.basename(hit.path)
end

local MOST_OF_QUOTE = 24

--- A quotation without its end where it is long, for what follows it says more.
local function shortened(reason)
  return (reason:gsub('"([^"]+)"', function(quote)
    local begun = vim.fn.strcharpart(quote, 0, MOST_OF_QUOTE)
    return ('"%s"'):format(begun == quote and quote or vim.trim(begun) .. '…')
  end))
end

--- At most three reasons, the notes, and how sure the server is in one word.
function M.reasons(hit)
  local words = vim.tbl_map(shortened, vim.list_slice(hit.reasons or {}, 1, 3))
  for _, note in ipairs(hit.notes or {}) do
    table.insert(words, 'note: ' .. (note.title ~= '' and note.title or note.text))
  end
  if type(hit.confidence_word) == 'string' then
    table.insert(words, hit.confidence_word)
  end
  return table.concat(words, ' · ')
end

--- Path and line of the name: `src/rank.py:12`, `analysis.ipynb:cell 3:12`, with the folder where it
--- could be mistaken; the type of what stands in no file.
function M.place(hit)
  if not hit.uri then
    return hit.kind
  end
  local folder = hit.folder and hit.folder .. '/' or ''
  if hit.unread then
    return folder .. hit.path
  end
  return folder .. hit.path .. ':' .. (M.cell(hit) or hit.selectionRange.start.line + 1)
end

--- Cell of a notebook and line in it, both from 1, else nil: `cell 3:12`.
function M.cell(hit)
  return hit.cell and ('cell %d:%d'):format(hit.cell.number, hit.cell.line)
end

--- `load_config  src/config.py:12  name has load · closest in meaning · strong`
---@return string text
---@return { [1]: integer, [2]: integer } dim bytes of the place in it, from 0, the end excluded
function M.row(title, place, remarks)
  return vim.trim(table.concat({ title, place, remarks }, '  ')), { #title + 2, #title + 2 + #place }
end

--- The same for a quickfix entry, which shows path and line itself.
function M.quickfix_text(hit)
  local cell = M.cell(hit)
  return vim.trim(('%s %s  %s%s'):format(hit.kind, M.title(hit), cell and cell .. '  ' or '', M.reasons(hit)))
end

-- The 1-based line that a range ends in.
local function last_line(range)
  return range['end'].line + (range['end'].character > 0 and 1 or 0)
end

---@class packhound.Item a row of a list, and the place that it opens
---@field hit table?
---@field is_note boolean? it only says something
---@field run fun()? what choosing it does instead of opening the place
---@field text string
---@field dim { [1]: integer, [2]: integer }? bytes of the text that a picker shows dim
---@field path string
---@field lnum integer
---@field col integer
---@field end_lnum integer

---@param results table
---@return packhound.Item[]
function M.items(results)
  local all = {}
  for _, hit in ipairs(results.hits) do
    table.insert(all, hit)
    -- A list can open only its rows, so each further place of a text is one.
    for _, copy in ipairs(hit.copies or {}) do
      local reasons = { 'same text as ' .. M.place(hit) }
      table.insert(all, vim.tbl_extend('force', hit, copy, { reasons = reasons, copies = {} }))
    end
  end
  return vim.tbl_map(function(hit)
    -- What stands in no file has no range.
    local start = hit.uri and hit.selectionRange.start or { line = 0, character = 0 }
    local text, dim = M.row(M.title(hit), M.place(hit), M.reasons(hit))
    return {
      hit = hit,
      text = text,
      dim = dim,
      path = hit.uri and vim.uri_to_fname(hit.uri) or records.name(hit),
      lnum = start.line + 1,
      end_lnum = hit.uri and last_line(hit.range) or 1,
      col = start.character + 1,
    }
  end, all)
end

-- The commonest kind and folder of the hits that not all of them have, as filters.
local function narrower(results)
  local filters = {}
  for name, value_of in pairs({
    kind = function(hit)
      return hit.kind
    end,
    path = function(hit)
      local folder = hit.path and hit.path:match('^[^/]+/')
      return folder and folder .. '**'
    end,
  }) do
    local counts = {}
    for _, hit in ipairs(results.query:find(name .. ':', 1, true) and {} or results.hits) do
      local value = value_of(hit)
      if value then
        counts[value] = (counts[value] or 0) + 1
      end
    end
    local best
    for value, count in pairs(counts) do
      if count < #results.hits and count > (counts[best] or 0) then
        best = value
      end
    end
    if best then
      table.insert(filters, name .. ':' .. best)
    end
  end
  table.sort(filters)
  return filters
end

--- One row with what is said of an answer, at the place of its best item if there is one, then the items.
---@param notes string[]
---@param items packhound.Item[]
---@return packhound.Item[]
function M.below_notes(notes, items)
  if not notes[1] then
    return items
  end
  local place = items[1] or { path = '', lnum = 1, end_lnum = 1, col = 1 }
  local text = 'note: ' .. table.concat(notes, ' · ')
  local note = vim.tbl_extend('force', place, { text = text, is_note = true })
  note.hit, note.dim = nil, nil
  return vim.list_extend({ note }, items)
end

--- The rows of a list of results: the server's notes, the hits, other queries to try.
---@param results table
function M.rows(results)
  local items, notes = M.items(results), results.notes
  if not items[1] and #notes == 0 then
    notes = { 'nothing was found; say it in other words, or drop a filter' }
  end
  local rows = vim.list_extend(M.below_notes(notes, items), M.holes(results))
  return results.asked and rows or vim.list_extend(rows, M.suggestions(results))
end

-- Of a hole, in the row that leads to all of them.
local MOST_VALUES = 3

--- A row for each named hole of the pattern, with what it is most often; opening one lists all that
--- it is, and opening one of these keeps the matches with it.
---@param results table
---@return packhound.Item[]
function M.holes(results)
  local asked = results.asked or { query = results.query }
  local function row(text, number, run)
    -- fzf-lua tells rows apart by their places; those of suggestions have the first column.
    return { text = text, path = '', lnum = number, end_lnum = 1, col = 2, run = run }
  end
  local rows = {}
  for _, facet in ipairs(results.facets or {}) do
    local values, most = {}, {}
    for number, value in ipairs(facet.values) do
      local text = ('%s %d'):format(value.text, value.matches)
      values[number] = row(text, number, function()
        local facets = vim.list_extend({ facet.name .. '=' .. value.text }, asked.facets or {})
        local title = ('Packhound: $%s = %s'):format(facet.name, value.text)
        require('packhound.pickers').narrowed(title, vim.tbl_extend('force', asked, { facets = facets }))
      end)
      most[number] = number <= MOST_VALUES and text or nil
    end
    local more = #values > MOST_VALUES and ', …' or ''
    local text = ('$%s: %s%s'):format(facet.name, table.concat(most, ', '), more)
    rows[#rows + 1] = row(text, #rows + 1, function()
      require('packhound.pickers').show(('Packhound: what $%s is'):format(facet.name), values, '')
    end)
  end
  return rows
end

-- More hits than this that are not weak need no help.
local POOR = 5
local FILTER = '%-?%l+:%S+'

--- Rows of other queries to try where one found little or nothing sure: without a filter of it, or
--- only in the folder that most hits are in. Opening one searches for it.
---@return packhound.Item[]
function M.suggestions(results)
  if #results.hits > POOR and results.confidence_word ~= 'weak' then
    return {}
  end
  local rows = {}
  local function add(text, query)
    if vim.trim(query) ~= '' then
      table.insert(rows, {
        text = 'try: ' .. text,
        path = '',
        -- fzf-lua tells rows apart by their places; notes have the first one.
        lnum = #rows + 2,
        end_lnum = 1,
        col = 1,
        run = function()
          local pickers = require('packhound.pickers')
          pickers.live(pickers.search_question(), query)
        end,
      })
    end
  end
  for filter in results.query:gmatch(FILTER) do
    local from, to = results.query:find(filter, 1, true)
    local query = results.query:sub(1, from - 1) .. results.query:sub(to + 1)
    add('without ' .. filter, vim.trim((query:gsub('%s+', ' '))))
  end
  for _, filter in ipairs(narrower(results)) do
    add('only ' .. filter, results.query .. ' ' .. filter)
  end
  return rows
end

-- What stays equal when a hit is found again; a row that says something has its text.
local function key(item)
  local hit = item.hit
  return hit and (hit.id or ('%s:%d-%d'):format(item.path, hit.start_line, hit.end_line)) or item.text
end

local function hit_keys(items)
  return vim.iter(items)
    :filter(function(item)
      return item.hit
    end)
    :map(key)
    :totable()
end

--- The rows of a second answer, with the hit that the user is in where it is in the first, so that
--- Enter opens it still; nil where the hits of both come in the same order.
---@param first table[]
---@param second table[]
---@param current integer the user's row in `first`
---@return table[]?
function M.reorder(first, second, current)
  if vim.deep_equal(hit_keys(first), hit_keys(second)) then
    return nil
  end
  -- A note may hold no more, such as that nothing was found.
  if first[current].is_note then
    return second
  end
  local rows = vim.tbl_filter(function(item)
    return key(item) ~= key(first[current])
  end, second)
  table.insert(rows, math.min(current, #rows + 1), first[current])
  return rows
end

--- Shows a 1-based place in the current window, with a way back (CTRL-O).
function M.go_to(path, lnum, col)
  vim.cmd("normal! m'")
  -- :edit would refuse the file of the window itself while it is modified.
  -- A name below the working folder is shown without it.
  local bufnr = vim.fn.bufadd(vim.fn.fnamemodify(path, ':.'))
  vim.bo[bufnr].buflisted = true
  local is_loaded = vim.api.nvim_buf_is_loaded(bufnr)
  vim.cmd.buffer(bufnr)
  if is_loaded and vim.startswith(path, 'packhound://') then
    vim.cmd.edit() -- A note's code may have changed since it was read.
  end
  local last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_win_set_cursor(0, { math.min(lnum, last), math.max(0, col - 1) })
  vim.cmd('normal! zvzz')
end

--- Opens an item in the current window, and notifies the server.
function M.open(item)
  if item.run then
    -- The picker that it was chosen in closes first.
    vim.schedule(item.run)
    return
  end
  if item.path == '' then
    return
  end
  M.go_to(item.path, item.lnum, item.col)
  if item.hit and item.hit.uri then
    client.notify('packhound/picked', { uri = item.hit.uri, position = item.hit.range.start })
  end
end

return M
