-- Why the definition at the cursor ranks where it does for the last query.
local client = require('packhound.client')
local hits = require('packhound.hits')

local M = {}

-- What moves a hit less is not worth a word.
local LEAST = 0.05

local function by_amount(one, other)
  return math.abs(one.by) > math.abs(other.by)
end

local function contributions(hit)
  local of_group = {}
  for _, group in ipairs(hit.groups) do
    of_group[group.group] = group.contribution
  end
  return of_group
end

--- The hit below another in the last results, if they are of its query, or the one above the last.
local function rival_of(hit, query)
  local all = hits.last and hits.last.query == query and hits.last.hits or {}
  for at, other in ipairs(all) do
    if other.uri == hit.uri and other.start_line == hit.start_line then
      return all[at + 1] or all[at - 1]
    end
  end
  return nil
end

--- What sets a hit apart from its rival, in at most two lines.
local function comparison(hit, query)
  local rival = rival_of(hit, query)
  if not rival then
    return {}
  end
  local of_rival, leads = contributions(rival), {}
  for group, contribution in pairs(contributions(hit)) do
    table.insert(leads, { group = group, by = contribution - (of_rival[group] or 0) })
  end
  table.sort(leads, by_amount)
  local ahead, behind = {}, {}
  for _, lead in ipairs(leads) do
    if math.abs(lead.by) >= LEAST then
      table.insert(lead.by > 0 and ahead or behind, ('%s %+.1f'):format(lead.group, math.abs(lead.by)))
    end
  end
  local lines, name = {}, hits.title(rival)
  if ahead[1] then
    table.insert(lines, ('ahead of %s in %s'):format(name, table.concat(ahead, ', ')))
  end
  if behind[1] then
    table.insert(lines, ('%s is ahead in %s'):format(name, table.concat(behind, ', ')))
  end
  return lines
end

local function signals_by_group(hit)
  local lines = {}
  for _, group in ipairs(hit.groups) do
    lines[group.group] = vim.tbl_map(function(signal)
      return ('  %+6.2f  %s'):format(signal.contribution, signal.text)
    end, group.signals or {})
  end
  return lines
end

--- The server's hover as plain text, with the signals of a group below its line, and the comparison.
---@return string[]
local function page(explanation)
  local lines, signals = {}, signals_by_group(explanation.hit)
  for _, line in ipairs(vim.split(explanation.markdown, '\n', { plain = true })) do
    if not vim.startswith(line, '```') then
      table.insert(lines, (line:gsub('`', '')))
      vim.list_extend(lines, signals[line:match('^(%a+) ')] or {})
    end
  end
  return vim.list_extend(lines, comparison(explanation.hit, explanation.query))
end

local function fit(window)
  vim.api.nvim_win_set_height(window, math.min(vim.api.nvim_win_text_height(window, {}).all, vim.o.lines - 4))
end

--- Folds what is indented below the line before it.
local function fold(window, bufnr)
  local options = vim.wo[window]
  options.foldmethod, options.foldlevel, options.foldtext, options.foldenable = 'expr', 0, '', true
  options.foldexpr = "getline(v:lnum) =~ '^  ' ? 1 : getline(v:lnum + 1) =~ '^  ' ? '>1' : 0"
  options.fillchars = 'fold: '
  vim.keymap.set('n', '<Tab>', function()
    vim.cmd('silent! normal! za')
    fit(window)
  end, { buffer = bufnr, desc = 'Packhound: the reasons of a group' })
  fit(window)
end

--- Shows the explanation in a floating window; a second call moves the cursor into it.
---@param query string empty: the last one, asked from where the user was
function M.show(query)
  if query == '' and not hits.last then
    error('Nothing was searched yet. Give the query: :Packhound why <query>', 0)
  end
  local cursor = client.cursor()
  local function params(ready)
    return vim.tbl_extend('error', cursor(ready), { query = query ~= '' and query or nil, git = true })
  end
  client.ask('packhound/explain', params, function(explanation)
    if type(explanation.markdown) ~= 'string' then
      vim.notify('Packhound: there is no definition at the cursor. Move it into one.', vim.log.levels.ERROR)
      return
    end
    local bufnr, window = vim.lsp.util.open_floating_preview(page(explanation), '', {
      focus_id = 'packhound',
      border = 'rounded',
      title = ' why: <Tab> unfolds ',
    })
    if vim.api.nvim_get_current_win() ~= window then
      fold(window, bufnr)
    end
  end)
end

return M
