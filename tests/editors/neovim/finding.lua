-- Steps of job.lua: searches and what their lists show.
local packhound = require('packhound')
local t = require('support')

t.step('the statusline says ready', function()
  t.wait_for('a mark in the statusline', function()
    return packhound.statusline() == 'packhound ✓' or packhound.statusline() == 'packhound !'
  end)
end)

t.step('a prose query finds the right function first', function()
  local found = packhound.search('send a request again after a growing delay')
  t.same(found.hits[1].qualname, 'send_with_retries')
end)

if t.job.start ~= 'enable' then
  t.step('the setting of setup reached the server', function()
    t.is_true(#t.search('request').hits <= 7, 'more hits than the limit')
  end)
end

t.step("the list keeps the server's order and opens the place", function()
  local client = require('packhound.client')
  local server = vim.lsp.get_clients({ name = 'packhound' })[1]
  local params = client.near()({ query = 'send a request again after a growing delay' })(server)
  t.list_of('search send a request again after a growing delay')
  local items = require('packhound.hits').items(client.request('packhound/search', params, t.left_ms()))
  for at, item in ipairs(items) do
    t.same(t.offered[at], item.text, 'row')
    t.same(item.text:sub(item.dim[1] + 1, item.dim[2]), item.hit.path .. ':' .. item.lnum, 'dim part')
  end
  t.same(#t.offered, #items, 'rows')
  t.is_true(vim.api.nvim_buf_get_name(0):match('courier/retry%.py$'), vim.api.nvim_buf_get_name(0))
  t.is_true(vim.api.nvim_get_current_line():match('def send_with_retries'), vim.api.nvim_get_current_line())
end)

t.step('a second answer takes the place of a note that nothing was found', function()
  local hits = require('packhound.hits')
  local first = hits.rows({ query = 'of another repository', hits = {}, notes = {} })
  local second = hits.rows(t.search('backoff_delays'))
  t.is_true(first[1].is_note and second[1].hit, 'no note, or no hit')
  t.same(hits.reorder(first, second, 1), second)
end)

t.step('unsaved text is found, non-ASCII and all', function()
  vim.cmd.edit('courier/urls.py')
  local last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_buf_set_lines(0, last, last, false, { '', 'def fold_zebra_stripes(é):', '    """😋 striped."""' })
  vim.api.nvim_buf_set_text(0, last + 1, 23, last + 1, 25, { 'éé' })
  t.is_true(vim.bo.modified, 'the buffer is not modified')
  local found = t.search('fold_zebra_stripes')
  t.same((found.hits[1] or {}).name, 'fold_zebra_stripes')
  t.same(found.hits[1].start_line, last + 2, 'line')
  vim.cmd('undo | undo')
  if vim.tbl_contains(t.names(t.search('fold_zebra_stripes')), 'fold_zebra_stripes') then
    error('the text is still found after it was undone')
  end
end)

t.step('the last search is asked once more, and saved ones are listed', function()
  local first = '^AnswerCache%.drop_expired'
  t.is_true(t.list_of('search stale answers')[1]:match(first), vim.inspect(t.offered))
  t.list_of('grep drop_expired')
  local lines = t.offered
  t.same(t.list_of('resume'), lines)
  t.wait_for_message_of('save stale answers', 'was saved')
  t.same(t.list_of('saved')[1], 'stale answers')
  t.wait_for('the rows of the saved search', function()
    return t.offered[1]:match(first)
  end)
  t.wait_for_message_of('save', 'not saved any more')
  t.list_of('saved')
  t.is_true(t.messages[1]:match('no search is saved'), vim.inspect(t.messages))
end)

t.step('the tests of a definition, and of what none reaches those about its name', function()
  local rows = table.concat(t.list_of('tests backoff_delays'), '\n')
  t.is_true(rows:match('^test  test_delays_grow  tests/test_retry%.py:%d+'), rows)
  t.is_true(not rows:match('called by'), rows)
  t.is_true(#t.list_of('tests mask_password') > 0, 'nothing is listed')
end)

t.step('a code lens lists what it counts', function()
  local uri = vim.uri_from_fname(t.job.root .. '/courier/retry.py')
  t.answer_select(1)
  t.offered = nil
  vim.lsp.commands['packhound.calls']({ arguments = { { uri = uri, position = { line = 17, character = 4 } } } })
  t.wait_for('a list', function()
    return t.offered
  end)
  t.is_true(t.offered[1]:match('^called by  send_with_retries'), vim.inspect(t.offered))
end)

t.step('rows of a list go to the quickfix list, but for those that open nothing', function()
  local hits = require('packhound.hits')
  local results = t.search('stale answers')
  results.notes = { 'said of all' }
  require('packhound.quickfix').put(hits.rows(results))
  t.same(#vim.fn.getqflist(), #hits.items(results))
  local line = { text = 'courier/retry.py:14  class GaveUpError', dim = { 0, 19 }, path = t.job.root .. '/courier/retry.py', lnum = 14, end_lnum = 14, col = 1 }
  require('packhound.quickfix').put({ line })
  t.same(vim.fn.getqflist()[1].text, 'class GaveUpError')
  vim.cmd.cclose()
end)

t.step('results go to the quickfix list in order', function()
  vim.fn.setqflist({}, 'f')
  vim.cmd('Packhound quickfix stale answers')
  t.wait_for('entries', function()
    return #vim.fn.getqflist() > 0
  end)
  local entries = vim.fn.getqflist()
  local lines = vim.tbl_map(function(entry)
    return entry.lnum
  end, entries)
  local expected = vim.tbl_map(function(hit)
    return hit.selectionRange.start.line + 1
  end, require('packhound.hits').last.hits)
  t.same(lines, expected, 'lines')
  vim.cmd.cclose()
end)

t.step('the quickfix list is filled when the index is ready', function()
  local whole = t.search('stale answers')
  local part = vim.tbl_extend('force', whole, { hits = { whole.hits[1] }, notes = { '1 of 9 files read so far' } })
  require('packhound.quickfix').show(part)
  vim.fn.setqflist({}, ' ', { title = 'another list' })
  vim.api.nvim_exec_autocmds('User', { pattern = 'PackhoundState' })
  t.wait_for('entries of all files in the list before', function()
    local before = vim.fn.getqflist({ nr = 0 }).nr - 1
    local list = vim.fn.getqflist({ nr = before, items = 0, idx = 0, title = 0 })
    return list.title == 'Packhound: stale answers' and #list.items == #whole.hits and list.idx == 1
  end)
  t.same(#vim.fn.getqflist(), 0, 'entries of the list after')
  vim.cmd.cclose()
end)

t.step('a hit in a notebook names its cell, and opens at the line of the file', function()
  local rows = t.list_of('search smooth_tide_heights')
  t.is_true(rows[1]:match('^smooth_tide_heights  tides%.ipynb:cell 2:2'), vim.inspect(rows))
  t.is_true(vim.api.nvim_get_current_line():match('"def smooth_tide_heights'), vim.api.nvim_get_current_line())
  vim.cmd.bwipeout()
end)

t.step('why shows the account of the definition at the cursor', function()
  t.list_of('search drop stale answers')
  vim.cmd.edit('courier/cache.py')
  vim.fn.search('def drop_expired')
  local function preview()
    return vim.iter(vim.api.nvim_list_wins()):find(function(candidate)
      return vim.w[candidate].packhound
    end)
  end
  vim.cmd('Packhound why drop stale answers')
  t.wait_for('a window', preview)
  local window = preview()
  local text = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n')
  t.is_true(text:find('drop') and text:find('\nfor ') and text:find('\nbeside '), text)
  local function rows()
    return vim.api.nvim_win_get_height(window)
  end
  local folded = rows()
  vim.cmd('Packhound why drop stale answers')
  t.wait_for('the cursor in the window', function()
    return vim.api.nvim_get_current_win() == window
  end)
  vim.fn.search('^details')
  vim.api.nvim_feedkeys(vim.keycode('<Tab>'), 'mx', false)
  t.is_true(rows() > folded, ('%d lines, and %d when unfolded'):format(folded, rows()))
  vim.api.nvim_win_close(window, true)
end)

t.step('an answer without hits says why in the list', function()
  vim.cmd.edit('courier/cache.py')
  local rows = t.list_of('search path:nowhere/** cache')
  t.is_true(rows[1]:match('^note: '), vim.inspect(rows))
  t.is_true(vim.api.nvim_buf_get_name(0):match('courier/cache%.py$'), vim.api.nvim_buf_get_name(0))
end)

t.step('a poor answer offers other filters, which search when they are chosen', function()
  local query = 'search kind:method path:limiter/** cache'
  local rows = t.list_of(query)
  local at
  for row, text in ipairs(rows) do
    at = text == 'try: without path:limiter/**' and row or at
  end
  t.is_true(at, vim.inspect(rows))
  local lists = {}
  vim.ui.select = function(items, _, done)
    table.insert(lists, items)
    local choice = #lists == 1 and at or 1
    done(items[choice], choice)
  end
  vim.cmd('Packhound ' .. query)
  t.wait_for('a second list', function()
    return lists[2]
  end)
  local paths = vim.tbl_map(function(item)
    return vim.fs.basename(item.path)
  end, lists[2])
  t.is_true(vim.tbl_contains(paths, 'cache.py'), 'not without the filter: ' .. vim.inspect(lists[2]))
end)

t.step('related code is listed', function()
  vim.cmd.edit('courier/retry.py')
  vim.fn.search('def backoff_delays')
  t.is_true(#t.list_of('related') > 0, vim.inspect(t.messages))
end)

t.step('what is at the cursor is asked: the word, or the error that is shown there', function()
  vim.cmd.edit('courier/retry.py')
  vim.fn.search('def \\zsbackoff_delays')
  local rows = t.list_of('about')
  t.is_true(rows[1]:match('^backoff_delays '), vim.inspect(rows))
  vim.cmd.buffer('courier/retry.py')
  local line = vim.fn.search('def \\zsbackoff_delays') - 1
  local space = vim.api.nvim_create_namespace('test')
  vim.diagnostic.set(space, 0, { { lnum = line, col = 0, end_col = 80, message = 'mask_password is not defined' } })
  rows = t.list_of('about')
  vim.diagnostic.reset(space)
  t.is_true(vim.iter(rows):any(function(row)
    return row:match('^mask_password ')
  end), vim.inspect(rows))
end)

t.step('what a hole of a pattern is narrows the results', function()
  local rows = t.list_of('search raise $E($$$)')
  local at = vim.iter(ipairs(rows)):find(function(_, row)
    return row:match('^%$E: ')
  end)
  t.is_true(at, vim.inspect(rows))
  t.is_true(rows[at]:match('AssertionError 1'), rows[at])
  local select, lists = vim.ui.select, {}
  vim.ui.select = function(items, options, done)
    table.insert(lists, vim.tbl_map(options.format_item, items))
    local choice = ({ '^%$E: ', '^AssertionError 1$', '^send_with_retries' })[#lists]
    local chosen = vim.iter(items):find(function(item)
      return item.text:match(choice)
    end)
    done(chosen)
  end
  vim.cmd('Packhound search raise $E($$$)')
  t.wait_for('the narrowed list', function()
    return #lists == 3
  end)
  vim.ui.select = select
  for _, row in ipairs(lists[3]) do
    t.is_true(not row:match('Client'), vim.inspect(lists[3]))
  end
end)

t.step('code is found that is like the selected code', function()
  local function list_like(keys)
    vim.cmd.edit('courier/retry.py')
    vim.fn.search('raise Assertion')
    vim.cmd('normal! ' .. keys .. '\27')
    t.answer_select(1)
    t.offered = nil
    vim.cmd("'<,'>Packhound like")
    t.wait_for('a list of like', function()
      return t.offered
    end)
    return t.offered
  end
  local rows = list_like('v$h')
  local note = "note: these have the shape 'raise $CALL', with holes for literals, arguments and calls; no other code"
  t.is_true(vim.startswith(rows[1], note), vim.inspect(rows))
  t.is_true(#rows > 3, vim.inspect(rows))
  vim.cmd.buffer('courier/retry.py')
  vim.fn.search('raise Assertion')
  t.same(t.list_of('like'), rows)
  t.is_true(list_like('wv$h')[1]:match('^note: .*no other code has the shape'), vim.inspect(t.offered))
  t.is_true(list_like('v$2h')[1]:match('^note: select one whole .* does not parse at its end'), vim.inspect(t.offered))
  -- To the bracket that closes it.
  vim.cmd.edit('web/upload.ts')
  vim.fn.search('for (let')
  t.is_true(t.list_of('like')[1]:match("no other code has the shape 'for %(let .*}',"), vim.inspect(t.offered))
  vim.cmd.edit('courier/retry.py')
  vim.fn.search('^$')
  t.wait_for_message_of('like', 'no code in this line')
end)

t.step('lines are found by a regular expression', function()
  local rows = t.list_of([[grep def \w+_delays\(]])
  t.is_true(vim.startswith(rows[1], 'note: 1 line in 1 file'), rows[1])
  t.is_true(rows[2]:match('^courier/retry%.py:%d+  def backoff_delays%('), vim.inspect(rows))
  t.is_true(vim.api.nvim_get_current_line():match('^def backoff_delays'), vim.api.nvim_get_current_line())
  t.is_true(t.list_of('grep (')[1]:match('^note: missing %)'), vim.inspect(t.offered))
end)

t.step('a list that comes while the user types waits, and no key reaches what it opens', function()
  vim.cmd.edit('courier/cache.py')
  t.answer_select(1)
  local item = { text = 'retry', path = vim.fs.joinpath(t.job.root, 'courier/retry.py'), lnum = 1, end_lnum = 1, col = 1 }
  _G.show_late_list = function()
    require('packhound.pickers').show('late', { item }, 'nothing')
  end
  vim.api.nvim_feedkeys(vim.keycode('ohello <Cmd>lua show_late_list()<CR>world<Esc>'), 'tx', false)
  t.is_true(vim.api.nvim_get_current_line():match('hello world$'), vim.api.nvim_get_current_line())
  t.wait_for('the file that was chosen', function()
    return vim.api.nvim_buf_get_name(0):match('courier/retry%.py$')
  end)
  t.is_true(not vim.bo.modified, t.text_of_buffer())
  vim.cmd.buffer('courier/cache.py')
  vim.cmd('undo')
end)

t.step('a row names the folder where another has the same name', function()
  vim.cmd.edit('courier/cache.py')
  local spare = vim.fs.joinpath(vim.fs.dirname(t.job.root), 'spare')
  vim.fn.mkdir(spare)
  vim.fn.writefile({ 'class AnswerCache:', '    """A second one."""' }, spare .. '/cache.py')
  vim.lsp.buf.add_workspace_folder(spare)
  local rows = t.list_with('AnswerCache  spare/cache%.py:1', 'search AnswerCache')
  t.is_true(rows:match('AnswerCache  courier/courier/cache%.py:%d'), rows)
  vim.lsp.buf.remove_workspace_folder(spare)
  vim.cmd.edit('courier/cache.py')
end)
