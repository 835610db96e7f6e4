-- Results in the quickfix list, in the server's order.
local client = require('packhound.client')
local hits = require('packhound.hits')
local refresh = require('packhound.refresh')

local M = {}

-- The list shows path and line itself.
local function text_of(item)
  if item.hit then
    return hits.quickfix_text(item.hit)
  end
  local from, to = unpack(item.dim or { 0, 0 })
  return vim.trim(item.text:sub(1, from) .. item.text:sub(to + 1))
end

local function entry(item)
  return {
    filename = item.path,
    lnum = item.lnum,
    end_lnum = item.end_lnum,
    col = item.col,
    text = text_of(item),
  }
end

local function entries(results)
  return vim.tbl_map(entry, hits.items(results))
end

--- Puts rows of a list, but for those that open nothing, into a new quickfix list and opens it.
---@param items packhound.Item[]
function M.put(items)
  local places = vim.tbl_filter(function(item)
    return not item.is_note and not item.run and item.path ~= ''
  end, items)
  vim.fn.setqflist({}, ' ', { title = 'Packhound', items = vim.tbl_map(entry, places) })
  vim.cmd.copen()
end

--- Asks again when the index is ready, if the results are of a part of it; the row that the user is
--- in stays the current one.
local function follow(results, list)
  local near, pending = client.near(), refresh.is_partial(results)
  refresh.on_ready('quickfix', function()
    if not pending then
      return
    end
    pending = false
    client.ask('packhound/search', near({ query = results.query }), function(anew)
      local row = vim.fn.getqflist({ id = list, idx = 0 }).idx
      vim.fn.setqflist({}, 'r', { id = list, idx = math.min(row, #anew.hits), items = entries(anew) })
    end)
  end)
end

--- Puts results into a new quickfix list and opens it.
function M.show(results)
  vim.fn.setqflist({}, ' ', { title = 'Packhound: ' .. results.query, items = entries(results) })
  follow(results, vim.fn.getqflist({ id = 0 }).id)
  vim.cmd.copen()
end

return M
