-- Runs inside a headless Neovim: the job of a user through the plugin. JOB names a JSON file with
-- {root, cmd, report, picker?, start, patience_s}; a step of the report has a `problem` if it failed.
local job = vim.json.decode(table.concat(vim.fn.readfile(vim.env.JOB), '\n'))
-- All waits together end before the process is killed, so that the report says which was in vain.
local deadline = vim.uv.now() + job.patience_s * 1000

local function left_ms()
  return math.max(1, deadline - vim.uv.now())
end

local report = { version = tostring(vim.version()), steps = {}, seen = {} }

local function step(name, run)
  local fine, problem = xpcall(run, debug.traceback)
  table.insert(report.steps, { name = name, problem = not fine and tostring(problem) or nil })
  return fine
end

local function same(actual, expected, what)
  if not vim.deep_equal(actual, expected) then
    error(('%s: expected %s, got %s'):format(what or 'value', vim.inspect(expected), vim.inspect(actual)), 2)
  end
end

local function is_true(value, what)
  if not value then
    error(what, 2)
  end
end

local function names(results)
  return vim.tbl_map(function(hit)
    return hit.qualname
  end, results.hits)
end

local offered
local messages = {}
vim.notify = function(message)
  if not message:match('searching …$') then
    table.insert(messages, message)
  end
end

local function text_of_buffer()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
end

--- Waits until `condition` holds; a failure says what was waited for and what there was.
local function wait_for(what, condition)
  if not vim.wait(left_ms(), condition, 20) then
    local state = { messages = messages, offered = offered }
    state.buffer, state.text = vim.api.nvim_buf_get_name(0), text_of_buffer()
    error(('waited in vain for %s; there was %s'):format(what, vim.inspect(state)), 2)
  end
end

local function wait_for_message(pattern)
  wait_for('the message ' .. pattern, function()
    return messages[1] and messages[#messages]:match(pattern)
  end)
end

-- Answers vim.ui.select and remembers what it was offered.
local function answer_select(choice)
  vim.ui.select = function(items, options, done)
    offered = vim.tbl_map(options.format_item or tostring, items)
    done(items[choice], choice)
  end
end

--- Runs a command, chooses the first row of its list, and returns the rows; none where there is a
--- message instead.
local function list_of(command)
  answer_select(1)
  offered, messages = nil, {}
  vim.cmd('Packhound ' .. command)
  wait_for('a list of ' .. command, function()
    return offered or messages[1]
  end)
  return offered or {}
end

--- Runs a command until a row of its list matches: the server reads an edit in its own time.
local function list_with(pattern, command)
  local rows
  wait_for(pattern .. ' in the list of ' .. command, function()
    rows = table.concat(list_of(command), '\n')
    return rows:match(pattern)
  end)
  return rows
end

local function pack_of(command)
  messages = {}
  vim.cmd('Packhound ' .. command)
  wait_for('a pack', function()
    return vim.b.packhound_pack
  end)
  return vim.b.packhound_pack
end

local function search(query)
  return require('packhound.client').request('packhound/search', { query = query }, left_ms())
end

local packhound
local TEST = { job.cmd[1], '-m', 'pytest', '-q' }

local NOTEBOOK = [[
{"cells": [
  {"cell_type": "markdown", "metadata": {}, "source": ["# Tides"]},
  {"cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [], "source": [
    "import math\n",
    "def smooth_tide_heights(heights):\n",
    "    return sum(heights) / len(heights)"
  ]}
], "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}]]

step('the plugin starts its server', function()
  vim.cmd.cd(job.root)
  vim.fn.writefile(vim.split(NOTEBOOK, '\n'), 'tides.ipynb')
  vim.cmd('filetype on')
  if job.start == 'enable' then
    require('packhound.config').set({ cmd = job.cmd, test = TEST })
    vim.lsp.enable('packhound')
    vim.cmd.edit('courier/cache.py')
    packhound = require('packhound')
  else
    vim.cmd.edit('courier/cache.py')
    packhound = require('packhound')
    packhound.setup({ cmd = job.cmd, picker = job.picker or 'select', settings = { limit = 7 }, test = TEST })
  end
  wait_for('a client', function()
    local client = vim.lsp.get_clients({ name = 'packhound', bufnr = 0 })[1]
    return client and client.initialized
  end)
  local client = vim.lsp.get_clients({ name = 'packhound' })[1]
  report.seen.encoding, report.seen.root = client.offset_encoding, client.config.root_dir
  same(vim.uv.fs_realpath(client.config.root_dir), vim.uv.fs_realpath(job.root), 'root')
  local state = require('packhound.client').request('packhound/status', { wait = true }, left_ms())
  is_true(state.files >= 8, vim.inspect(state))
end)

step('the statusline says ready', function()
  wait_for('a mark in the statusline', function()
    return packhound.statusline() == 'packhound ✓' or packhound.statusline() == 'packhound !'
  end)
  report.seen.statusline = packhound.statusline()
end)

step('a prose query finds the right function first', function()
  local found = packhound.search('send a request again after a growing delay')
  same(found.hits[1].qualname, 'send_with_retries')
  report.seen.order = names(found)
end)

if job.start ~= 'enable' then
  step('the setting of setup reached the server', function()
    is_true(#search('request').hits <= 7, 'more hits than the limit')
  end)
end

step("the list keeps the server's order and opens the place", function()
  local client = require('packhound.client')
  local server = vim.lsp.get_clients({ name = 'packhound' })[1]
  local params = client.near()({ query = 'send a request again after a growing delay' })(server)
  list_of('search send a request again after a growing delay')
  local items = require('packhound.hits').items(client.request('packhound/search', params, left_ms()))
  for at, item in ipairs(items) do
    same(offered[at], item.text, 'row')
    same(item.text:sub(item.dim[1] + 1, item.dim[2]), item.hit.path .. ':' .. item.lnum, 'dim part')
  end
  same(#offered, #items, 'rows')
  report.seen.rows = offered
  is_true(vim.api.nvim_buf_get_name(0):match('courier/retry%.py$'), vim.api.nvim_buf_get_name(0))
  is_true(vim.api.nvim_get_current_line():match('def send_with_retries'), vim.api.nvim_get_current_line())
end)

step('unsaved text is found, non-ASCII and all', function()
  vim.cmd.edit('courier/urls.py')
  local last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_buf_set_lines(0, last, last, false, { '', 'def fold_zebra_stripes(é):', '    """😋 striped."""' })
  vim.api.nvim_buf_set_text(0, last + 1, 23, last + 1, 25, { 'éé' })
  is_true(vim.bo.modified, 'the buffer is not modified')
  local found = search('fold_zebra_stripes')
  same((found.hits[1] or {}).name, 'fold_zebra_stripes')
  same(found.hits[1].start_line, last + 2, 'line')
  vim.cmd('undo | undo')
  if vim.tbl_contains(names(search('fold_zebra_stripes')), 'fold_zebra_stripes') then
    error('the text is still found after it was undone')
  end
end)

step('results go to the quickfix list in order', function()
  vim.fn.setqflist({}, 'f')
  vim.cmd('Packhound quickfix stale answers')
  wait_for('entries', function()
    return #vim.fn.getqflist() > 0
  end)
  local entries = vim.fn.getqflist()
  local lines = vim.tbl_map(function(entry)
    return entry.lnum
  end, entries)
  local expected = vim.tbl_map(function(hit)
    return hit.selectionRange.start.line + 1
  end, require('packhound.hits').last.hits)
  same(lines, expected, 'lines')
  vim.cmd.cclose()
end)

step('the quickfix list is filled when the index is ready', function()
  local whole = search('stale answers')
  local part = vim.tbl_extend('force', whole, { hits = { whole.hits[1] }, notes = { '1 of 9 files read so far' } })
  require('packhound.quickfix').show(part)
  vim.fn.setqflist({}, ' ', { title = 'another list' })
  vim.api.nvim_exec_autocmds('User', { pattern = 'PackhoundState' })
  wait_for('entries of all files in the list before', function()
    local before = vim.fn.getqflist({ nr = 0 }).nr - 1
    local list = vim.fn.getqflist({ nr = before, items = 0, idx = 0, title = 0 })
    return list.title == 'Packhound: stale answers' and #list.items == #whole.hits and list.idx == 1
  end)
  same(#vim.fn.getqflist(), 0, 'entries of the list after')
  vim.cmd.cclose()
end)

step('a hit in a notebook names its cell, and opens at the line of the file', function()
  local rows = list_of('search smooth_tide_heights')
  is_true(rows[1]:match('^smooth_tide_heights  tides%.ipynb:cell 2:2'), vim.inspect(rows))
  is_true(vim.api.nvim_get_current_line():match('"def smooth_tide_heights'), vim.api.nvim_get_current_line())
  vim.cmd.bwipeout()
end)

step('why shows the account of the definition at the cursor', function()
  search('drop stale answers')
  vim.cmd.edit('courier/cache.py')
  vim.fn.search('def drop_expired')
  local function preview()
    return vim.iter(vim.api.nvim_list_wins()):find(function(candidate)
      return vim.w[candidate].packhound
    end)
  end
  vim.cmd('Packhound why drop stale answers')
  wait_for('a window', preview)
  local window = preview()
  local text = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n')
  is_true(text:find('drop') and text:find('█') and text:find('\nahead of'), text)
  report.seen.why = text
  local function rows()
    return vim.api.nvim_win_get_height(window)
  end
  local folded = rows()
  vim.cmd('Packhound why drop stale answers')
  wait_for('the cursor in the window', function()
    return vim.api.nvim_get_current_win() == window
  end)
  vim.fn.search('█')
  vim.api.nvim_feedkeys(vim.keycode('<Tab>'), 'mx', false)
  is_true(rows() > folded, ('%d lines, and %d when unfolded'):format(folded, rows()))
  vim.api.nvim_win_close(window, true)
end)

step('an answer without hits says why in the list', function()
  vim.cmd.edit('courier/cache.py')
  local rows = list_of('search path:nowhere/** cache')
  is_true(rows[1]:match('^note: '), vim.inspect(rows))
  is_true(vim.api.nvim_buf_get_name(0):match('courier/cache%.py$'), vim.api.nvim_buf_get_name(0))
end)

step('a poor answer offers other filters, which search when they are chosen', function()
  local query = 'search kind:method path:limiter/** cache'
  local rows = list_of(query)
  local at
  for row, text in ipairs(rows) do
    at = text == 'try: without path:limiter/**' and row or at
  end
  is_true(at, vim.inspect(rows))
  local lists = {}
  vim.ui.select = function(items, _, done)
    table.insert(lists, items)
    local choice = #lists == 1 and at or 1
    done(items[choice], choice)
  end
  vim.cmd('Packhound ' .. query)
  wait_for('the rows without the filter', function()
    return lists[2] and lists[2][1].text:match('^AnswerCache')
  end)
end)

step('a note is written at the cursor, and knows when its code changed', function()
  messages = {}
  vim.cmd.edit('courier/retry.py')
  vim.fn.search('def backoff_delays')
  vim.cmd('Packhound note insight The broker drops clients that retry in step')
  wait_for_message('noted on courier/retry%.py#backoff_delays')
  local line = vim.fn.search('delay = FIRST_DELAY_S')
  vim.fn.append(line, '    delay = delay * 3')
  list_with('backoff_delays %[stale%]', 'notes')
  wait_for('the difference of the code', function()
    return text_of_buffer():match('%+    delay = delay %* 3')
  end)
  vim.cmd([[execute "normal \<CR>"]])
  is_true(vim.api.nvim_buf_get_name(0):match('courier/retry%.py$'), vim.api.nvim_buf_get_name(0))
  is_true(vim.bo.modified, 'the edit is lost')
  vim.cmd('undo')
end)

step('a note that a search finds opens, and is forgotten after asking', function()
  list_of('search type:note broker clients')
  wait_for('the buffer of a note', function()
    return vim.api.nvim_buf_get_name(0):match('^packhound://note/')
  end)
  wait_for('its keys', function()
    return vim.fn.maparg('D', 'n') ~= ''
  end)
  answer_select(2)
  messages = {}
  vim.cmd('normal D')
  wait_for_message('forgotten')
  same(list_of('notes'), {}, 'notes')
  is_true(messages[#messages]:match('there are no notes'), vim.inspect(messages))
  same(vim.fn.getcompletion('Packhound search type:st', 'cmdline'), { 'type:stash' })
  vim.cmd.edit('courier/cache.py')
end)

step('related code is listed', function()
  vim.cmd.edit('courier/retry.py')
  vim.fn.search('def backoff_delays')
  is_true(#list_of('related') > 0, vim.inspect(messages))
end)

step('callers, calls and tests are listed, and a call opens at its line', function()
  vim.cmd.edit('courier/retry.py')
  vim.fn.search('def backoff_delays')
  local rows = list_of('symbol')
  is_true(rows[1]:match('^called by  send_with_retries  courier/retry%.py:28'), vim.inspect(rows))
  is_true(table.concat(rows, '\n'):match('test  test_%w+'), vim.inspect(rows))
  same(vim.api.nvim_win_get_cursor(0)[1], 28, 'line')
end)

step('changes are listed with the tests to run, and reviewed', function()
  vim.cmd.edit('courier/retry.py')
  vim.fn.append(vim.fn.search('delay = FIRST_DELAY_S'), '    delay = delay * 3')
  local rows = list_with('changed  backoff_delays', 'changes')
  is_true(rows:match('test to run  tests/test_retry%.py'), rows)
  local pack = pack_of('review budget=900')
  is_true(pack:match('delay %* 3'), pack)
  vim.cmd.bwipeout()
  vim.cmd.buffer('courier/retry.py')
  vim.cmd('undo')
end)

step('the tests of the changes are run', function()
  vim.cmd.buffer('courier/retry.py')
  vim.fn.append(vim.fn.search('delay = FIRST_DELAY_S'), '    delay = delay * 3')
  local rows = list_with('run tests/test_retry%.py', 'test')
  wait_for('what the tests say', function()
    return vim.bo.buftype == 'terminal' and text_of_buffer():match('%d passed')
  end)
  is_true(rows:match('^run '), rows)
  vim.cmd.bwipeout({ bang = true })
  vim.cmd.buffer('courier/retry.py')
  vim.cmd('undo')
end)

step('lines are found by a regular expression', function()
  local rows = list_of([[grep def \w+_delays\(]])
  same(rows[1], 'note: 1 line in 1 file')
  is_true(rows[2]:match('^courier/retry%.py:%d+  def backoff_delays%('), vim.inspect(rows))
  is_true(vim.api.nvim_get_current_line():match('^def backoff_delays'), vim.api.nvim_get_current_line())
  is_true(list_of('grep (')[1]:match("^note: 'pattern' is '%('"), vim.inspect(offered))
end)

step('a pack is shown, within its budget, and cannot be edited', function()
  pack_of('pack budget=900 mend the retries of courier/retry.py')
  local text = text_of_buffer()
  is_true(text:find('# Context pack', 1, true), text .. vim.inspect(messages))
  is_true(text:find('send_with_retries', 1, true), text)
  is_true(not vim.bo.modifiable, 'it can be edited')
  local tokens = tonumber(text:match('(%d+) of 900 tokens'))
  is_true(tokens and tokens <= 900, text)
  vim.cmd.bwipeout()
end)

step('packs of one conversation repeat nothing', function()
  for number, repeats in ipairs({ false, true }) do
    local pack = pack_of('pack conversation=retries budget=900 mend the retries of courier/retry.py')
    local already = pack:find('Sent before and unchanged', 1, true) ~= nil
    is_true(already == repeats, number .. ': ' .. pack)
    vim.cmd.bwipeout()
  end
end)

step('what was opened can be forgotten', function()
  messages = {}
  vim.cmd('Packhound forget')
  wait_for_message('forgot')
end)

step('status and rebuild say what they did', function()
  messages = {}
  vim.cmd('Packhound status')
  wait_for_message('^Packhound: %l+: %d+ definitions in %d+ files')
  vim.cmd('Packhound rebuild')
  wait_for_message('built again')
  require('packhound.client').request('packhound/status', { wait = true }, left_ms())
end)

step('a row names the folder where another has the same name', function()
  vim.cmd.edit('courier/cache.py')
  local spare = vim.fs.joinpath(vim.fs.dirname(job.root), 'spare')
  vim.fn.mkdir(spare)
  vim.fn.writefile({ 'class AnswerCache:', '    """A second one."""' }, spare .. '/cache.py')
  vim.lsp.buf.add_workspace_folder(spare)
  local rows = list_with('AnswerCache  spare/cache%.py:1', 'search AnswerCache')
  is_true(rows:match('AnswerCache  courier/courier/cache%.py:%d'), rows)
  vim.lsp.buf.remove_workspace_folder(spare)
  vim.cmd.edit('courier/cache.py')
end)

step('mistakes are said in one sentence', function()
  for option, value in pairs({ cmd = 'packhound lsp', picker = 'fzf', budget = '8k', size = 1 }) do
    local fine, problem = pcall(require('packhound.config').set, { [option] = value })
    is_true(not fine and problem:match('^packhound.setup: .*' .. option .. '.* expected '), problem)
  end
  messages = {}
  vim.cmd('Packhound serch x')
  is_true(messages[1]:match("'serch' is not a subcommand; expected one of: changes, forget, grep, note"), vim.inspect(messages))
  vim.cmd('Packhound pack budget=lots x')
  is_true(messages[2]:match('whole number of tokens'), vim.inspect(messages))
end)

step('checkhealth has no errors', function()
  vim.cmd('checkhealth packhound')
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  report.seen.health = text
  is_true(not text:match('ERROR'), text)
  is_true(text:match('definitions in %d+ files'), text)
  vim.cmd.bwipeout()
end)

step('help is there', function()
  vim.cmd('helptags ' .. vim.fn.fnameescape(job.plugin .. '/doc'))
  vim.cmd.help('packhound')
  is_true(vim.api.nvim_buf_get_name(0):match('packhound%.txt$'), vim.api.nvim_buf_get_name(0))
  vim.cmd.bwipeout()
end)

step('a killed server comes back for the file', function()
  vim.cmd.edit('courier/cache.py')
  local killed = vim.lsp.get_clients({ name = 'packhound', bufnr = 0 })[1].id
  for _, pid in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do
    vim.uv.kill(pid, 'sigkill')
  end
  wait_for('another client', function()
    local client = vim.lsp.get_clients({ name = 'packhound', bufnr = 0 })[1]
    return client and client.id ~= killed and client.initialized
  end)
  same((search('AnswerCache').hits[1] or {}).name, 'AnswerCache')
end)

step('a restarted server answers', function()
  vim.cmd.edit('courier/cache.py')
  messages = {}
  vim.cmd('Packhound restart')
  wait_for_message('was restarted')
  wait_for('a hit of a server that reads the folder anew', function()
    local hit = search('AnswerCache').hits[1]
    return hit and hit.name == 'AnswerCache'
  end)
end)

vim.fn.writefile({ vim.json.encode(report) }, job.report)
vim.cmd('qa!')
