-- Proposed patches: listed, shown as diffs that cannot be edited, accepted, rejected.
local client = require('packhound.client')

local M = {}

local CHECKS = vim.api.nvim_create_namespace('packhound.checks')
local MOST_LINES = 10
-- What the last check of a proposal says that is new, by its id.
local found = {}

local function title(proposal)
  return proposal.message ~= '' and proposal.message or 'proposal ' .. proposal.id
end

local function row(proposal)
  local paths = vim.tbl_map(function(file)
    return ('%s +%d -%d'):format(file.path, file.added, file.removed)
  end, proposal.files)
  local state = proposal.applies and table.concat(paths, ', ') or 'does not apply any more: ' .. proposal.problem
  return ('%s  %s %s  %s'):format(title(proposal), proposal.author, proposal.created, state)
end

--- Lists what is proposed; `choose` gets the proposal that is chosen.
---@param choose fun(proposal: table)?
function M.list(choose)
  client.ask('packhound/overlays', vim.empty_dict(), function(answer)
    local items = {}
    for at, proposal in ipairs(answer.overlays) do
      local run = function()
        (choose or M.open)(proposal)
      end
      table.insert(items, { text = row(proposal), run = run, path = '', lnum = at, end_lnum = at, col = 1 })
    end
    local nothing = 'nothing is proposed; packhound overlay add FILE.diff proposes a patch.'
    require('packhound.pickers').show('Packhound: proposals', items, nothing)
  end)
end

-- A buffer of one side of a file, which goes with its window.
local function scratch(name, path, text)
  local bufnr = vim.api.nvim_create_buf(false, true)
  pcall(vim.api.nvim_buf_set_name, bufnr, name) -- It is taken while the diff is open twice.
  vim.bo[bufnr].bufhidden, vim.bo[bufnr].swapfile = 'wipe', false
  local lines = vim.split(text, '\n', { plain = true })
  if lines[#lines] == '' then
    table.remove(lines)
  end
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].filetype = vim.filetype.match({ filename = path }) or ''
  return bufnr
end

-- Marks what a check of a proposal found in one of its files.
local function mark(bufnr, proposal, path)
  local marks = {}
  for _, line in ipairs(found[proposal] or {}) do
    if line.path == path and line.line then
      local severity = vim.diagnostic.severity[line.severity == 'warning' and 'WARN' or 'ERROR']
      table.insert(marks, { lnum = line.line - 1, col = 0, message = line.message, source = line.runner, severity = severity })
    end
  end
  vim.diagnostic.set(CHECKS, bufnr, marks)
end

local function map_keys(bufnr, proposal, at)
  local function map(key, description, run)
    vim.keymap.set('n', key, run, { buffer = bufnr, desc = 'Packhound: ' .. description })
  end
  vim.b[bufnr].packhound_proposal = proposal.id
  for key, step in pairs({ [']f'] = 1, ['[f'] = -1 }) do
    map(key, 'another file of the proposal', function()
      M.show(proposal, (at + step - 1) % #proposal.files + 1)
    end)
  end
  map('A', 'accept the proposal', function()
    M.accept(proposal.id)
  end)
  map('R', 'reject the proposal', function()
    M.reject(proposal.id)
  end)
  map('C', 'check the proposal', function()
    M.check(proposal.id)
  end)
  map('q', 'close the proposal', M.close)
end

--- Closes the tab page that shows a proposal.
function M.close()
  if not vim.t.packhound_proposal then
    return
  end
  if #vim.api.nvim_list_tabpages() > 1 then
    vim.cmd.tabclose()
  else
    vim.t.packhound_proposal = nil
    vim.cmd('diffoff! | only | enew')
  end
end

--- Shows a file of a proposal, before and after it, in the tab page of proposals.
---@param proposal table
---@param at integer number of the file
function M.show(proposal, at)
  local file = proposal.files[at]
  client.ask('packhound/overlayText', { id = proposal.id, path = file.path }, function(texts)
    if vim.t.packhound_proposal then
      vim.cmd('diffoff! | only')
    else
      vim.cmd.tabnew()
      vim.bo.bufhidden = 'wipe'
    end
    vim.t.packhound_proposal = proposal.id
    for side, text in ipairs({ texts.before, texts.after }) do
      local name = ('packhound-proposal://%s/%s/%s'):format(proposal.id, side == 1 and 'before' or 'after', file.path)
      local bufnr = scratch(name, file.path, text)
      if side == 2 then
        vim.cmd('rightbelow vsplit')
        vim.b[bufnr].packhound_path = file.path
        mark(bufnr, proposal.id, file.path)
      end
      vim.api.nvim_win_set_buf(0, bufnr)
      map_keys(bufnr, proposal, at)
      vim.cmd.diffthis()
    end
    local keys = ']f [f file, A accept, C check, R reject, q close'
    vim.notify(('Packhound: %s, %d of %d: %s'):format(title(proposal), at, #proposal.files, keys))
  end)
end

--- Shows the first file of a proposal, and says its verdict.
function M.open(proposal)
  if not proposal.files[1] then
    vim.notify('Packhound: it does not apply any more: ' .. proposal.problem, vim.log.levels.WARN)
    return
  end
  M.show(proposal, 1)
  client.ask('packhound/overlay', { id = proposal.id }, function(shown)
    vim.notify('Packhound: verdict: ' .. (shown.verdict and shown.verdict.summary or 'none'))
  end)
end

-- The id that is given, of the proposal that is shown, or of one that is chosen.
local function with_id(id, run)
  id = id ~= '' and id or vim.b.packhound_proposal
  if id then
    run(id)
  else
    M.list(function(proposal)
      run(proposal.id)
    end)
  end
end

local function accepted(answer)
  M.close()
  vim.cmd.checktime() -- Files that are shown and were written on the disk.
  local open = #vim.tbl_filter(function(file)
    return file.in_editor
  end, answer.files)
  local unsaved = open > 0 and (', %d of them open and not saved'):format(open) or ''
  vim.notify(('Packhound: accepted: %d files changed%s.'):format(#answer.files, unsaved))
end

--- Writes the files of a proposal; asks before it is merged with changes of the user's.
---@param id string may be empty
function M.accept(id)
  with_id(id, function(proposal)
    client.request_async('packhound/accept', { proposal = proposal }, function(problem, answer)
      if not problem then
        accepted(answer)
      elseif not problem:find('(three-way)', 1, true) then
        vim.notify('Packhound: ' .. problem, vim.log.levels.ERROR)
      else
        vim.ui.select({ 'Leave it', 'Merge it' }, { prompt = problem }, function(_, choice)
          if choice == 2 then
            client.ask('packhound/accept', { proposal = proposal, three_way = true }, accepted)
          end
        end)
      end
    end)
  end)
end

local function mark_all(proposal)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.b[bufnr].packhound_proposal == proposal and vim.b[bufnr].packhound_path then
      mark(bufnr, proposal, vim.b[bufnr].packhound_path)
    end
  end
end

--- Runs tests and tools on a proposal, in a copy; says what is new, and marks it where it is shown,
--- as soon as a tool prints it.
---@param id string may be empty
function M.check(id)
  with_id(id, function(proposal)
    vim.notify('Packhound: checking ...')
    local token = ('packhound-check-%s-%d'):format(proposal, vim.uv.hrtime())
    found[proposal] = {}
    local listener = vim.api.nvim_create_autocmd('LspProgress', {
      callback = function(event)
        if event.data.params.token == token then
          vim.list_extend(found[proposal], event.data.params.value.new or {})
          mark_all(proposal)
        end
      end,
    })
    client.request_async('packhound/check', { diff = proposal, partialResultToken = token }, function(problem, answer)
      vim.api.nvim_del_autocmd(listener)
      found[proposal] = answer and answer.new
      mark_all(proposal)
      if problem then
        vim.notify('Packhound: ' .. problem, vim.log.levels.ERROR)
        return
      end
      local lines = { 'Packhound: ' .. answer.summary }
      for at = 1, math.min(#answer.new, MOST_LINES) do
        local new = answer.new[at]
        local place = new.path and ('%s:%d: '):format(new.path, new.line or 1) or ''
        table.insert(lines, ('  %s%s: %s'):format(place, new.runner, new.message))
      end
      vim.notify(table.concat(lines, '\n'), vim.log.levels[answer.passed and 'INFO' or 'WARN'])
    end)
  end)
end

--- Takes a proposal off the list, with the reason that is asked for.
---@param id string may be empty
function M.reject(id)
  with_id(id, function(proposal)
    vim.ui.input({ prompt = 'Why is it rejected? ' }, function(reason)
      if reason and vim.trim(reason) ~= '' then
        client.ask('packhound/reject', { id = proposal, reason = reason }, function()
          M.close()
          vim.notify('Packhound: the proposal is rejected.')
        end)
      end
    end)
  end)
end

return M
