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

--- At most three reasons, and how sure the server is in one word.
function M.reasons(hit)
  local words = vim.list_slice(hit.reasons or {}, 1, 3)
  if type(hit.confidence_word) == 'string' then
    table.insert(words, hit.confidence_word)
  end
  for _, note in ipairs(hit.notes or {}) do
    table.insert(words, 'note: ' .. (note.title ~= '' and note.title or note.text))
  end
  return table.concat(words, ' · ')
end

--- `load_config  src/config.py:12  name: load · meaning: closest of 1,695 · strong`
function M.row(hit)
  local place = hit.uri and ('%s:%d'):format(hit.path, hit.selectionRange.start.line + 1) or hit.kind
  return vim.trim(table.concat({ M.title(hit), place, M.reasons(hit) }, '  '))
end

---@param results table
---@return { hit: table, text: string, path: string, lnum: integer, col: integer, end_lnum: integer }[]
function M.items(results)
  return vim.tbl_map(function(hit)
    -- What stands in no file has no range.
    local start = hit.uri and hit.selectionRange.start or { line = 0, character = 0 }
    return {
      hit = hit,
      text = M.row(hit),
      path = hit.uri and vim.uri_to_fname(hit.uri) or records.name(hit),
      lnum = start.line + 1,
      end_lnum = hit.end_line,
      col = start.character + 1,
    }
  end, results.hits)
end

--- The rows of a list: what the server says of the answer first, at the place of the best hit if there
--- is one, then the hits.
---@param results table
function M.rows(results)
  local items = M.items(results)
  local place = items[1] or { path = '', lnum = 1, end_lnum = 1, col = 1 }
  local notes = results.notes
  if not items[1] and #notes == 0 then
    notes = { 'nothing was found; say it in other words, or drop a filter' }
  end
  local rows = vim.tbl_map(function(note)
    return vim.tbl_extend('force', place, { text = 'note: ' .. note })
  end, notes)
  return vim.list_extend(rows, items)
end

--- Shows a 1-based place in the current window, with a way back (CTRL-O).
function M.go_to(path, lnum, col)
  vim.cmd("normal! m'")
  -- :edit would refuse the file of the window itself while it is modified.
  local bufnr = vim.fn.bufadd(path)
  vim.bo[bufnr].buflisted = true
  vim.cmd.buffer(bufnr)
  local last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_win_set_cursor(0, { math.min(lnum, last), math.max(0, col - 1) })
  vim.cmd('normal! zvzz')
end

--- Opens an item in the current window, and notifies the server.
function M.open(item)
  if item.path == '' then
    return
  end
  M.go_to(item.path, item.lnum, item.col)
  if item.hit and item.hit.uri then
    client.notify('packhound/picked', { uri = item.hit.uri, position = item.hit.range.start })
  end
end

--- Puts results into the quickfix list, in the server's order.
function M.to_quickfix(results)
  local entries = vim.tbl_map(function(item)
    return {
      filename = item.path,
      lnum = item.lnum,
      end_lnum = item.end_lnum,
      col = item.col,
      text = vim.trim(('%s %s  %s'):format(item.hit.kind, M.title(item.hit), M.reasons(item.hit))),
    }
  end, M.items(results))
  vim.fn.setqflist({}, ' ', { title = 'Packhound: ' .. results.query, items = entries })
end

return M
