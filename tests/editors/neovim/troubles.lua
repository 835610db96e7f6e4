-- Steps of job.lua: status, mistakes, help, servers that end.
local t = require('support')

t.step('status and rebuild say what they did', function()
  t.messages = {}
  vim.cmd('Packhound status')
  t.wait_for_message('^Packhound: %l+: %d+ definitions in %d+ files')
  vim.cmd('Packhound rebuild')
  t.wait_for_message('built again')
  require('packhound.client').request('packhound/status', { wait = true }, t.left_ms())
end)

t.step('mistakes are said in one sentence', function()
  for option, value in pairs({ cmd = 'packhound lsp', picker = 'fzf', budget = '8k', size = 1 }) do
    local fine, problem = pcall(require('packhound.config').set, { [option] = value })
    t.is_true(not fine and problem:match('^packhound.setup: .*' .. option .. '.* expected '), problem)
  end
  t.messages = {}
  vim.cmd('Packhound serch x')
  t.is_true(t.messages[1]:match("'serch' is not a subcommand; expected one of: about, accept, changes, check, forget, grep, like, map, note"), vim.inspect(t.messages))
  vim.cmd('Packhound pack budget=lots x')
  t.is_true(t.messages[2]:match('whole number of tokens'), vim.inspect(t.messages))
end)

t.step('a picker that is not installed is named', function()
  local config = require('packhound.config')
  config.set({ picker = 'snacks' })
  t.messages = {}
  vim.cmd('Packhound search cache')
  t.is_true((t.messages[1] or ''):match("picker of setup%(%) is 'snacks', which is not installed"), vim.inspect(t.messages))
  config.set({ picker = 'select' })
end)

t.step('without a server a message says so at once', function()
  local config, path = require('packhound.config'), vim.env.PATH
  t.messages, vim.env.PATH, config.values.cmd = {}, '/nowhere', nil
  require('packhound').setup()
  t.is_true((t.messages[1] or ''):match('server was not found; :checkhealth packhound'), vim.inspect(t.messages))
  vim.cmd('checkhealth packhound')
  t.is_true(t.text_of_buffer():match('pip install packhound'), t.text_of_buffer())
  vim.cmd.bwipeout()
  vim.env.PATH = path
  config.set({ cmd = t.job.cmd })
end)

t.step('checkhealth has no errors', function()
  vim.cmd('checkhealth packhound')
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  t.is_true(not text:match('ERROR'), text)
  t.is_true(text:match('definitions in %d+ files'), text)
  vim.cmd.bwipeout()
end)

t.step('help has every command and option', function()
  vim.cmd('helptags ' .. vim.fn.fnameescape(t.job.plugin .. '/doc'))
  vim.cmd.help('packhound')
  t.is_true(vim.api.nvim_buf_get_name(0):match('packhound%.txt$'), vim.api.nvim_buf_get_name(0))
  local text = t.text_of_buffer()
  for _, name in ipairs(require('packhound.commands').names()) do
    t.is_true(text:match('\n:[^\n]*Packhound ' .. name .. '%f[%s]'), name .. ' is not in the help')
  end
  for _, name in ipairs(require('packhound.config').names()) do
    t.is_true(text:match('\n      ' .. name .. ' = '), name .. ' is not in the help')
  end
  vim.cmd.bwipeout()
end)

t.step('a killed server comes back for the file', function()
  vim.cmd.edit('courier/cache.py')
  local killed = vim.lsp.get_clients({ name = 'packhound', bufnr = 0 })[1].id
  for _, pid in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do
    vim.uv.kill(pid, 'sigkill')
  end
  t.wait_for('another client', function()
    local client = vim.lsp.get_clients({ name = 'packhound', bufnr = 0 })[1]
    return client and client.id ~= killed and client.initialized
  end)
  t.same((t.search('AnswerCache').hits[1] or {}).name, 'AnswerCache')
end)

t.step('a restarted server answers', function()
  vim.cmd.edit('courier/cache.py')
  t.messages = {}
  vim.cmd('Packhound restart')
  t.wait_for_message('was restarted')
  t.wait_for('a hit of a server that reads the folder anew', function()
    local hit = t.search('AnswerCache').hits[1]
    return hit and hit.name == 'AnswerCache'
  end)
end)
