-- Hits as rows of a list, as quickfix entries, and as locations to open.
local client = require('packhound.client')

local M = {}

local BAR_CELLS = 6

--- The results of the last search or list of related code.
---@type table?
M.last = nil

---@param share number
---@param cells integer
function M.bar(share, cells)
  local full = math.floor(math.min(1, math.max(0, share)) * cells + 0.5)
  return ('█'):rep(full) .. ('░'):rep(cells - full)
end

function M.title(hit)
  if hit.qualname ~= '' then
    return hit.qualname
  end
  return hit.name ~= '' and hit.name or vim.fs.basename(hit.path)
end

--- `██████ 0.81 function load_config  src/config.py:12`
function M.row(hit, best)
  local share = best > 0 and hit.score / best or 0
  return ('%s %.2f %s %s  %s:%d'):format(M.bar(share, BAR_CELLS), hit.score, hit.kind, M.title(hit), hit.path, hit.start_line)
end

---@param results table
---@return { hit: table, text: string, path: string, lnum: integer, col: integer, end_lnum: integer }[]
function M.items(results)
  local best = 0
  for _, hit in ipairs(results.hits) do
    best = math.max(best, hit.score)
  end
  return vim.tbl_map(function(hit)
    return {
      hit = hit,
      text = M.row(hit, best),
      path = vim.uri_to_fname(hit.uri),
      lnum = hit.selectionRange.start.line + 1,
      end_lnum = hit.end_line,
      col = hit.selectionRange.start.character + 1,
    }
  end, results.hits)
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
      text = ('%s %s (%.2f)'):format(item.hit.kind, M.title(item.hit), item.hit.score),
    }
  end, M.items(results))
  vim.fn.setqflist({}, ' ', { title = 'Packhound: ' .. results.query, items = entries })
end

return M
