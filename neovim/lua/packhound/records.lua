-- Hits that stand in no file, such as notes and commits, as buffers named packhound://TYPE/ID.
local client = require('packhound.client')

local M = {}

-- The hits of the last answers by their buffers' names; a note is asked for anew instead.
local hits = {}

--- The name of a hit's buffer.
---@param hit table
---@return string
function M.name(hit)
  local name = ('packhound://%s/%s'):format(hit.kind, hit.id)
  hits[name] = hit
  return name
end

local function fill(bufnr, lines)
  if vim.api.nvim_buf_is_valid(bufnr) then
    vim.bo[bufnr].modifiable = true
    vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
    vim.bo[bufnr].modifiable, vim.bo[bufnr].modified = false, false
  end
end

--- Fills the buffer that was opened under the name of a record.
---@param bufnr integer
---@param name string
function M.read(bufnr, name)
  local kind, id = name:match('^packhound://([^/]+)/(.+)$')
  vim.bo[bufnr].buftype, vim.bo[bufnr].bufhidden, vim.bo[bufnr].swapfile = 'nofile', 'wipe', false
  vim.bo[bufnr].filetype = 'markdown'
  local hit = hits[name]
  if hit and hit.source ~= 'notes' then
    local text = ('# %s\n\n%s, %s\n\n%s'):format(hit.title, kind, hit.date, hit.text)
    fill(bufnr, vim.split(text, '\n', { plain = true }))
    return
  end
  client.ask('packhound/memory/show', { id = id }, function(note)
    fill(bufnr, note.id and require('packhound.notes').page(note) or { 'This note is gone.' })
    require('packhound.notes').map_keys(bufnr, note)
  end)
end

return M
