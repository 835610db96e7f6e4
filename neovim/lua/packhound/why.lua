-- Why the definition at the cursor ranks where it does for the last query.
local client = require('packhound.client')
local hits = require('packhound.hits')

local M = {}

local function by_contribution(one, other)
  return math.abs(one.contribution) > math.abs(other.contribution)
end

--- The server's hover as plain text, and in a fold the numbers: a row a group, its signals below it.
---@return string[]
local function page(explanation)
  local lines = {}
  for _, line in ipairs(vim.split(explanation.markdown, '\n', { plain = true })) do
    if not vim.startswith(line, '```') then
      table.insert(lines, (line:gsub('`', '')))
    end
  end
  local groups = vim.deepcopy(explanation.hit.groups)
  table.sort(groups, by_contribution)
  table.insert(lines, 'details')
  for _, group in ipairs(groups) do
    table.insert(lines, ('  %-9s %+6.2f  %s'):format(group.group, group.contribution, group.text))
    for _, signal in ipairs(group.signals or {}) do
      table.insert(lines, ('    %+6.2f  %s'):format(signal.contribution, signal.text))
    end
  end
  return lines
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
    if vim.fn.foldlevel('.') == 0 then
      vim.fn.search('^details$', 'W')
    end
    vim.cmd('silent! normal! za')
    fit(window)
  end, { buffer = bufnr, desc = 'Packhound: the numbers behind the reasons' })
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
