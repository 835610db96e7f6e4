-- Hits as rows of a list, as quickfix entries, and as locations to open.
local client = require('packhound.client')

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
  return table.concat(words, ' · ')
end

--- `load_config  src/config.py:12  name: load · meaning: closest of 1,695 · strong`
function M.row(hit)
  local place = ('%s:%d'):format(hit.path, hit.selectionRange.start.line + 1)
  return vim.trim(table.concat({ M.title(hit), place, M.reasons(hit) }, '  '))
end

---@param results table
---@return { hit: table, text: string, path: string, lnum: integer, col: integer, end_lnum: integer }[]
function M.items(results)
  return vim.tbl_map(function(hit)
    return {
      hit = hit,
      text = M.row(hit),
      path = vim.uri_to_fname(hit.uri),
      lnum = hit.selectionRange.start.line + 1,
      end_lnum = hit.end_line,
      col = hit.selectionRange.start.character + 1,
    }
  end, results.hits)
end

--- The rows of a list: notes first, at the place of the best hit, then the hits.
---@param results table
function M.rows(results)
  local items = M.items(results)
  local rows = {}
  for _, note in ipairs(items[1] and results.notes or {}) do
    table.insert(rows, vim.tbl_extend('force', items[1], { text = 'note: ' .. note }))
  end
  return vim.list_extend(rows, items)
end

--- Why the last list is empty, and what to change.
---@return string
function M.no_hits_text()
  local notes = M.last and M.last.notes or {}
  return #notes > 0 and table.concat(notes, '; ') or 'nothing was found.'
end

--- Opens an item in the current window, with a way back (CTRL-O), and notifies the server.
function M.open(item)
  vim.cmd("normal! m'")
  vim.cmd.edit(vim.fn.fnameescape(item.path))
  local last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_win_set_cursor(0, { math.min(item.lnum, last), math.max(0, item.col - 1) })
  vim.cmd('normal! zvzz')
  client.notify('packhound/picked', { uri = item.hit.uri, position = item.hit.range.start })
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
