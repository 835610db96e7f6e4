-- Lines that match a regular expression, as items of a list.
local config = require('packhound.config')
local hits = require('packhound.hits')

local M = {}

local MOST_LINES = 200

local function count(number, noun)
  return ('%d %s%s'):format(number, noun, number == 1 and '' or 's')
end

local function item(group, line, root)
  local range = line.range and line.range.start
  local uri = line.uri or group.uri
  local lnum = range and range.line + 1 or line.line
  local place = ('%s:%s'):format(group.path, hits.cell(line) or lnum)
  return {
    text = vim.trim(('%s  %s  %s'):format(place, vim.trim(line.text), group.qualname)),
    dim = { 0, #place },
    path = uri and vim.uri_to_fname(uri) or vim.fs.joinpath(root, group.path),
    lnum = lnum,
    end_lnum = lnum,
    col = range and range.character + 1 or #line.text:match('^%s*') + 1,
  }
end

local function rows(answer, root)
  local items = {}
  for _, group in ipairs(answer.groups) do
    for _, line in ipairs(group.lines) do
      if line.match then
        table.insert(items, item(group, line, root))
      end
    end
  end
  local total = count(answer.total_lines, 'line') .. ' in ' .. count(answer.total_files, 'file')
  return hits.below_notes({ total, unpack(answer.notes) }, items)
end

--- What a picker asks at each key.
---@return packhound.Question
function M.question()
  local root = config.root(vim.api.nvim_get_current_buf())
  return {
    title = 'Packhound: lines',
    method = 'packhound/grep',
    params = function(pattern)
      return { pattern = pattern, limit = MOST_LINES }
    end,
    rows = function(answer)
      return rows(answer, root)
    end,
  }
end

return M
