-- Steps of job.lua: proposed patches are listed, looked at, rejected and accepted.
local t = require('support')

local DIFF = [[
--- a/courier/retry.py
+++ b/courier/retry.py
@@ -8,3 +8,3 @@
 FIRST_DELAY_S = 0.2
-LONGEST_DELAY_S = 30.0
+LONGEST_DELAY_S = 60.0
%s
--- /dev/null
+++ b/courier/parcel.py
@@ -0,0 +1,2 @@
+def weigh_parcel(grams):
+    return grams
]]

local function propose(diff, message)
  local params = { diff = diff, message = message, author = 'ann' }
  return require('packhound.client').request('packhound/propose', params, t.left_ms()).id
end

t.step('what is proposed is listed, and shown as a diff that cannot be edited', function()
  vim.cmd('edit! courier/retry.py | edit!') -- Other steps have left it modified.
  local diff = DIFF:format(' ')
  propose(diff, 'Wait longer')
  local rows = t.list_of('proposals')
  t.is_true(rows[1]:match('^Wait longer  ann .*courier/retry%.py %+1 %-1, courier/parcel%.py %+2 %-0'), vim.inspect(rows))
  t.wait_for('the diff', function()
    return vim.wo.diff and t.text_of_buffer():find('LONGEST_DELAY_S = 60.0', 1, true)
  end)
  t.wait_for_message('verdict: no break is known')
  t.same(#vim.api.nvim_tabpage_list_wins(0), 2, 'windows')
  t.is_true(not vim.bo.modifiable, 'it can be edited')
  t.same(vim.bo.filetype, 'python', 'filetype')
  vim.cmd.normal(']f')
  t.wait_for('the second file', function()
    return t.text_of_buffer():find('weigh_parcel', 1, true)
  end)
  t.same(#vim.api.nvim_tabpage_list_wins(0), 2, 'windows')
  vim.cmd.normal('q')
  t.same(#vim.api.nvim_list_tabpages(), 1, 'tab pages')
end)

t.step('a proposal is rejected with a reason', function()
  local id = propose(DIFF:format(' '):gsub('60', '5'), 'Wait less')
  vim.ui.input = function(_, done)
    done('Servers are slow')
  end
  t.messages = {}
  vim.cmd('Packhound reject ' .. id)
  t.wait_for_message('the proposal is rejected')
  t.same(#t.list_of('proposals'), 1, 'proposals')
  t.wait_for('the diff', function()
    return vim.wo.diff
  end)
end)

t.step('a check says what is new, and marks it where it is shown', function()
  local config = vim.env.PACKHOUND_CONFIG_DIR or vim.env.XDG_CONFIG_HOME .. '/packhound'
  vim.fn.mkdir(config, 'p')
  local trusted = ("folders.trusted = ['%s']"):format(vim.uv.fs_realpath(t.job.root))
  vim.fn.writefile({ 'changes.run = true', trusted }, config .. '/packhound.toml')
  -- It waits for this test, so that what it printed is marked before it ends.
  local waits = vim.fn.tempname()
  vim.fn.writefile({}, waits)
  local script = "grep -rn '60[.]0' courier && while [ -e " .. waits .. ' ]; do sleep 0.1; done; true'
  local finds = "command = ['sh', '-c', '''" .. script .. "''']"
  local others = { '[runners.pytest]', 'enabled = false', '[runners.delays]', finds }
  vim.fn.writefile(others, config .. '/runners.toml')
  t.messages = {}
  vim.cmd.normal('C')
  t.wait_for('a mark', function()
    return #vim.diagnostic.get(0) == 1
  end)
  vim.fn.delete(waits)
  t.wait_for_message('courier/retry.py:%d+: delays: LONGEST_DELAY_S = 60.0')
  local marks = vim.diagnostic.get(0)
  t.same(#marks, 1, 'marks')
  t.same(marks[1].source, 'delays', 'source')
  t.same(vim.fn.getline(marks[1].lnum + 1), 'LONGEST_DELAY_S = 60.0', 'line')
  vim.fn.delete(config .. '/packhound.toml')
  vim.fn.delete(config .. '/runners.toml')
end)

t.step('one is accepted beside an unsaved line: what is open here by one edit, the rest on the disk', function()
  vim.cmd.normal('q')
  vim.fn.append(vim.fn.line('$'), '# typed')
  t.answer_select(1)
  t.messages = {}
  local accept = 'Packhound accept ' .. require('packhound.client').request('packhound/overlays', vim.empty_dict()).overlays[1].id
  vim.cmd(accept)
  t.wait_for('the question', function()
    return t.offered and t.offered[2] == 'Merge it'
  end)
  t.is_true(t.text_of_buffer():find('30.0', 1, true), t.text_of_buffer())
  t.answer_select(2)
  t.messages = {}
  vim.cmd(accept)
  t.wait_for_message('accepted: 2 files changed, 1 of them open and not saved')
  local text = t.text_of_buffer()
  t.is_true(text:find('LONGEST_DELAY_S = 60.0', 1, true) and text:find('# typed', 1, true), text)
  t.is_true(vim.bo.modified, 'it was saved')
  t.is_true(vim.uv.fs_stat('courier/parcel.py'), 'the new file is missing')
  vim.cmd('undo')
  t.is_true(t.text_of_buffer():find('LONGEST_DELAY_S = 30.0', 1, true), 'one undo takes it back')
  vim.cmd('edit!')
  vim.fn.delete('courier/parcel.py')
end)
