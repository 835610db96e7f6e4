-- Runs inside a headless Neovim: the job of a user through the plugin. JOB names a JSON file with
-- {root, cmd, report, picker?, start}; each step of the report is null or says what went wrong.
local job = vim.json.decode(table.concat(vim.fn.readfile(vim.env.JOB), '\n'))
local PATIENCE_MS = 60000

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

local function wait_for(condition, what)
  is_true(vim.wait(PATIENCE_MS, condition, 20), what)
end

-- Answers vim.ui.select and remembers what it was offered.
local offered
local function answer_select(choice)
  vim.ui.select = function(items, options, done)
    offered = vim.tbl_map(options.format_item or tostring, items)
    done(items[choice], choice)
  end
end

local messages = {}
vim.notify = function(message)
  table.insert(messages, message)
end

local packhound

step('the plugin starts its server', function()
  vim.cmd.cd(job.root)
  vim.cmd('filetype on')
  if job.start == 'enable' then
    require('packhound.config').set({ cmd = job.cmd })
    vim.lsp.enable('packhound')
    vim.cmd.edit('courier/cache.py')
    packhound = require('packhound')
  else
    vim.cmd.edit('courier/cache.py')
    packhound = require('packhound')
    packhound.setup({ cmd = job.cmd, picker = job.picker or 'select', settings = { limit = 7 } })
  end
  is_true(vim.wait(PATIENCE_MS, function()
    local client = vim.lsp.get_clients({ name = 'packhound', bufnr = 0 })[1]
    return client and client.initialized
  end, 20), 'no client was attached')
  local client = vim.lsp.get_clients({ name = 'packhound' })[1]
  report.seen.encoding, report.seen.root = client.offset_encoding, client.config.root_dir
  same(vim.uv.fs_realpath(client.config.root_dir), vim.uv.fs_realpath(job.root), 'root')
  local state = require('packhound.client').request('packhound/status', { wait = true }, PATIENCE_MS)
  is_true(state.files >= 8, vim.inspect(state))
end)

step('the statusline says ready', function()
  is_true(vim.wait(PATIENCE_MS, function()
    return packhound.statusline() == 'packhound ✓' or packhound.statusline() == 'packhound !'
  end, 20), packhound.statusline())
  report.seen.statusline = packhound.statusline()
end)

step('a prose query finds the right function first', function()
  local found = packhound.search('send a request again after a growing delay')
  same(found.hits[1].qualname, 'send_with_retries')
  report.seen.order = names(found)
end)

if job.start ~= 'enable' then
  step('the setting of setup reached the server', function()
    is_true(#packhound.search('request').hits <= 7, 'more hits than the limit')
  end)
end

step("the list keeps the server's order and opens the place", function()
  answer_select(1)
  offered = nil
  local client = require('packhound.client')
  local server = vim.lsp.get_clients({ name = 'packhound' })[1]
  local params = client.near()({ query = 'send a request again after a growing delay' })(server)
  vim.cmd('Packhound search send a request again after a growing delay')
  wait_for(function()
    return offered
  end, 'nothing was offered')
  local expected = vim.tbl_map(function(item)
    return item.text
  end, require('packhound.hits').items(client.request('packhound/search', params)))
  same(offered, expected, 'rows')
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
  local found = packhound.search('fold_zebra_stripes')
  same((found.hits[1] or {}).name, 'fold_zebra_stripes')
  same(found.hits[1].start_line, last + 2, 'line')
  vim.cmd('undo | undo')
  if vim.tbl_contains(names(packhound.search('fold_zebra_stripes')), 'fold_zebra_stripes') then
    error('the text is still found after it was undone')
  end
end)

step('results go to the quickfix list in order', function()
  vim.fn.setqflist({}, 'f')
  vim.cmd('Packhound quickfix stale answers')
  wait_for(function()
    return #vim.fn.getqflist() > 0
  end, 'no entries')
  local entries = vim.fn.getqflist()
  local lines = vim.tbl_map(function(entry)
    return entry.lnum
  end, entries)
  local expected = vim.tbl_map(function(hit)
    return hit.selectionRange.start.line + 1
  end, require('packhound.hits').last.hits)
  same(lines, expected, 'lines')
  is_true(#entries > 0, 'no entries')
  vim.cmd.cclose()
end)

step('why shows the account of the definition at the cursor', function()
  packhound.search('drop stale answers')
  vim.cmd.edit('courier/cache.py')
  vim.fn.search('def drop_expired')
  local function preview()
    return vim.iter(vim.api.nvim_list_wins()):find(function(candidate)
      return vim.w[candidate].packhound
    end)
  end
  vim.cmd('Packhound why drop stale answers')
  wait_for(preview, 'no window was opened: ' .. vim.inspect(messages))
  local window = preview()
  local text = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n')
  is_true(text:find('drop') and text:find('█'), text)
  report.seen.why = text
  vim.api.nvim_win_close(window, true)
end)

step('an answer without hits says why in the list', function()
  answer_select(1)
  offered = nil
  vim.cmd.edit('courier/cache.py')
  vim.cmd('Packhound search path:nowhere/** cache')
  wait_for(function()
    return offered
  end, 'nothing was offered: ' .. vim.inspect(messages))
  is_true(offered[1]:match('^note: '), vim.inspect(offered))
  is_true(vim.api.nvim_buf_get_name(0):match('courier/cache%.py$'), vim.api.nvim_buf_get_name(0))
end)

step('a note is written at the cursor, and knows when its code changed', function()
  messages = {}
  vim.cmd.edit('courier/retry.py')
  vim.fn.search('def backoff_delays')
  vim.cmd('Packhound note insight The broker drops clients that retry in step')
  wait_for(function()
    return messages[1] and messages[#messages]:match('noted on courier/retry%.py#backoff_delays')
  end, vim.inspect(messages))
  local line = vim.fn.search('delay = FIRST_DELAY_S')
  vim.fn.append(line, '    delay = delay * 3')
  answer_select(1)
  -- The server reads the edit in its own time.
  repeat
    offered = nil
    vim.cmd('Packhound notes')
    wait_for(function()
      return offered
    end, 'no list')
  until offered[1]:match('backoff_delays %[stale%]')
  wait_for(function()
    local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
    return text:match('%+    delay = delay %* 3')
  end, vim.inspect(vim.api.nvim_buf_get_lines(0, 0, -1, false)))
  vim.cmd([[execute "normal \<CR>"]])
  is_true(vim.api.nvim_buf_get_name(0):match('courier/retry%.py$'), vim.api.nvim_buf_get_name(0))
  is_true(vim.bo.modified, 'the edit is lost')
  vim.cmd('undo')
end)

step('a note that a search finds opens, and is forgotten after asking', function()
  answer_select(1)
  offered = nil
  vim.cmd('Packhound search type:note broker clients')
  wait_for(function()
    return offered and vim.api.nvim_buf_get_name(0):match('^packhound://note/')
  end, vim.inspect(offered))
  wait_for(function()
    return vim.fn.maparg('D', 'n') ~= ''
  end, 'no keys')
  answer_select(2)
  messages = {}
  vim.cmd('normal D')
  wait_for(function()
    return messages[1] and messages[#messages]:match('forgotten')
  end, vim.inspect(messages))
  vim.cmd('Packhound notes')
  wait_for(function()
    return messages[#messages]:match('there are no notes')
  end, vim.inspect(messages))
  same(vim.fn.getcompletion('Packhound search type:st', 'cmdline'), { 'type:stash' })
  vim.cmd.edit('courier/cache.py')
end)

step('related code is listed', function()
  answer_select(1)
  vim.cmd.edit('courier/retry.py')
  vim.fn.search('def backoff_delays')
  offered = nil
  vim.cmd('Packhound related')
  wait_for(function()
    return offered and #offered > 0
  end, 'nothing was offered: ' .. vim.inspect(messages))
end)

step('callers, calls and tests are listed, and a call opens at its line', function()
  answer_select(1)
  vim.cmd.edit('courier/retry.py')
  vim.fn.search('def backoff_delays')
  offered = nil
  vim.cmd('Packhound symbol')
  wait_for(function()
    return offered
  end, 'nothing was offered: ' .. vim.inspect(messages))
  is_true(offered[1]:match('^called by  send_with_retries  courier/retry%.py:28'), vim.inspect(offered))
  is_true(table.concat(offered, '\n'):match('test  test_%w+'), vim.inspect(offered))
  same(vim.api.nvim_win_get_cursor(0)[1], 28, 'line')
end)

step('changes are listed with the tests to run, and reviewed', function()
  answer_select(1)
  vim.cmd.edit('courier/retry.py')
  vim.fn.append(vim.fn.search('delay = FIRST_DELAY_S'), '    delay = delay * 3')
  local seen
  -- The server reads the edit in its own time.
  repeat
    offered, messages = nil, {}
    vim.cmd('Packhound changes')
    wait_for(function()
      return offered or messages[1]
    end, 'no answer')
    seen = table.concat(offered or {}, '\n')
  until seen:match('changed  backoff_delays')
  is_true(seen:match('test to run  tests/test_retry%.py'), seen)
  vim.cmd('Packhound review budget=900')
  wait_for(function()
    return vim.b.packhound_pack
  end, 'no pack: ' .. vim.inspect(messages))
  is_true(vim.b.packhound_pack:match('delay %* 3'), vim.b.packhound_pack)
  vim.cmd.bwipeout()
  vim.cmd.buffer('courier/retry.py')
  vim.cmd('undo')
end)

step('a pack is shown, within its budget, and cannot be edited', function()
  vim.cmd('Packhound pack budget=900 mend the retries of courier/retry.py')
  wait_for(function()
    return vim.b.packhound_pack
  end, 'no pack: ' .. vim.inspect(messages))
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  is_true(text:find('# Context pack', 1, true), text .. vim.inspect(messages))
  is_true(text:find('send_with_retries', 1, true), text)
  is_true(not vim.bo.modifiable, 'it can be edited')
  local tokens = tonumber(text:match('(%d+) of 900 tokens'))
  is_true(tokens and tokens <= 900, text)
  vim.cmd.bwipeout()
end)

step('packs of one conversation repeat nothing', function()
  for number, repeats in ipairs({ false, true }) do
    vim.cmd('Packhound pack conversation=retries budget=900 mend the retries of courier/retry.py')
    wait_for(function()
      return vim.b.packhound_pack
    end, 'no pack: ' .. vim.inspect(messages))
    local already = vim.b.packhound_pack:find('Sent before and unchanged', 1, true) ~= nil
    is_true(already == repeats, number .. ': ' .. vim.b.packhound_pack)
    vim.cmd.bwipeout()
  end
end)

step('what was opened can be forgotten', function()
  messages = {}
  vim.cmd('Packhound forget')
  wait_for(function()
    return messages[1] and messages[#messages]:match('forgot')
  end, vim.inspect(messages))
end)

step('status and rebuild say what they did', function()
  messages = {}
  vim.cmd('Packhound status')
  wait_for(function()
    return messages[1] and messages[1]:match('definitions in %d+ files')
  end, vim.inspect(messages))
  vim.cmd('Packhound rebuild')
  wait_for(function()
    return messages[#messages]:match('built again')
  end, vim.inspect(messages))
  require('packhound.client').request('packhound/status', { wait = true }, PATIENCE_MS)
end)

step('mistakes are said in one sentence', function()
  messages = {}
  vim.cmd('Packhound serch x')
  is_true(messages[1]:match("'serch' is not a subcommand; expected one of: changes, forget, note"), vim.inspect(messages))
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

step('a restarted server answers', function()
  vim.cmd.edit('courier/cache.py')
  vim.cmd('Packhound restart')
  same(packhound.search('AnswerCache').hits[1].name, 'AnswerCache')
end)

vim.fn.writefile({ vim.json.encode(report) }, job.report)
vim.cmd('qa!')
