-- Steps of job.lua: notes, callers, changes, tests, packs.
local t = require('support')

t.step('a note is written at the cursor, and knows when its code changed', function()
  t.messages = {}
  vim.cmd.edit('courier/retry.py')
  vim.fn.search('def backoff_delays')
  vim.cmd('Packhound note insight The broker drops clients that retry in step')
  t.wait_for_message('noted on courier/retry%.py#backoff_delays')
  local line = vim.fn.search('delay = FIRST_DELAY_S')
  vim.fn.append(line, '    delay = delay * 3')
  t.list_with('backoff_delays %[stale%]', 'notes')
  t.wait_for('the difference of the code', function()
    return t.text_of_buffer():match('%+    delay = delay %* 3')
  end)
  vim.cmd([[execute "normal \<CR>"]])
  t.is_true(vim.api.nvim_buf_get_name(0):match('courier/retry%.py$'), vim.api.nvim_buf_get_name(0))
  t.is_true(vim.bo.modified, 'the edit is lost')
  vim.cmd('undo')
end)

t.step('a note that a search finds opens, and is forgotten after asking', function()
  t.list_of('search type:note broker clients')
  t.wait_for('the buffer of a note', function()
    return vim.api.nvim_buf_get_name(0):match('^packhound://note/')
  end)
  t.wait_for('its keys', function()
    return vim.fn.maparg('D', 'n') ~= ''
  end)
  t.answer_select(2)
  t.messages = {}
  vim.cmd('normal D')
  t.wait_for_message('forgotten')
  t.same(t.list_of('notes'), {}, 'notes')
  t.is_true(t.messages[#t.messages]:match('there are no notes'), vim.inspect(t.messages))
  t.same(vim.fn.getcompletion('Packhound search type:st', 'cmdline'), { 'type:stash' })
  vim.cmd.edit('courier/cache.py')
end)

t.step('callers, calls and tests are listed, and a call opens at its line', function()
  vim.cmd.edit('courier/retry.py')
  vim.fn.search('def backoff_delays')
  local rows = t.list_of('symbol')
  t.is_true(rows[1]:match('^called by  send_with_retries  courier/retry%.py:28'), vim.inspect(rows))
  t.is_true(table.concat(rows, '\n'):match('test  test_%w+'), vim.inspect(rows))
  t.same(vim.api.nvim_win_get_cursor(0)[1], 28, 'line')
end)

t.step('callers are those that the server of the language knows, by its name', function()
  local uri = vim.uri_from_bufnr(0)
  local at = { start = { line = 3, character = 0 }, ['end'] = { line = 3, character = 1 } }
  local item = { name = 'typed_caller', kind = 12, uri = uri, range = at, selectionRange = at }
  local answers = {
    initialize = { capabilities = { callHierarchyProvider = true } },
    ['textDocument/prepareCallHierarchy'] = { item },
    ['callHierarchy/incomingCalls'] = { { from = item, fromRanges = { at } } },
  }
  local other = vim.lsp.start({
    name = 'typed',
    cmd = function()
      return {
        request = function(method, _, done)
          vim.schedule(function()
            done(nil, answers[method])
          end)
          return true, 1
        end,
        notify = function() end,
        is_closing = function() end,
        terminate = function() end,
      }
    end,
  })
  t.wait_for('the other server', function()
    return vim.lsp.get_client_by_id(other).initialized
  end)
  vim.fn.search('def backoff_delays')
  local rows = t.list_of('symbol')
  t.is_true(rows[1]:match('^called by  typed_caller  courier/retry%.py:4.*by typed'), vim.inspect(rows))
  vim.lsp.buf_detach_client(0, other)
end)

t.step('changes are listed with the tests to run, and reviewed', function()
  vim.cmd.edit('courier/retry.py')
  vim.fn.append(vim.fn.search('delay = FIRST_DELAY_S'), '    delay = delay * 3')
  local rows = t.list_with('changed  backoff_delays', 'changes')
  t.is_true(rows:match('test to run  tests/test_retry%.py'), rows)
  local pack = t.pack_of('review budget=900')
  t.is_true(pack:match('delay %* 3'), pack)
  vim.cmd.bwipeout()
  vim.cmd.buffer('courier/retry.py')
  vim.cmd('undo')
end)

t.step('a map names what is used most', function()
  local map = t.pack_of('map budget=900')
  t.is_true(map:match('def backoff_delays'), map)
end)

t.step('the tests of the changes are run', function()
  vim.cmd.buffer('courier/retry.py')
  vim.fn.append(vim.fn.search('delay = FIRST_DELAY_S'), '    delay = delay * 3')
  local rows = t.list_with('run tests/test_retry%.py', 'test')
  t.wait_for('what the tests say', function()
    return vim.bo.buftype == 'terminal' and t.text_of_buffer():match('%d passed')
  end)
  t.is_true(rows:match('^run '), rows)
  vim.cmd.bwipeout({ bang = true })
  vim.cmd.buffer('courier/retry.py')
  vim.cmd('undo')
end)

t.step('a pack is shown, within its budget, and cannot be edited', function()
  t.pack_of('pack budget=900 mend the retries of courier/retry.py')
  local text = t.text_of_buffer()
  t.is_true(vim.startswith(text, '# mend the retries of courier/retry.py'), text .. vim.inspect(t.messages))
  t.is_true(text:find('send_with_retries', 1, true), text)
  t.is_true(not vim.bo.modifiable, 'it can be edited')
  local tokens = tonumber(text:match('(%d+) of 900 tokens'))
  t.is_true(tokens and tokens <= 900, text)
  vim.cmd.bwipeout()
end)

t.step('packs of one conversation repeat nothing', function()
  for number, repeats in ipairs({ false, true }) do
    local pack = t.pack_of('pack conversation=retries budget=900 mend the retries of courier/retry.py')
    local already = pack:find('Sent before and unchanged', 1, true) ~= nil
    t.is_true(already == repeats, number .. ': ' .. pack)
    vim.cmd.bwipeout()
  end
end)

t.step('what was opened can be forgotten', function()
  t.messages = {}
  vim.cmd('Packhound forget')
  t.wait_for_message('forgot')
end)
