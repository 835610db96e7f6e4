-- Runs inside a headless Neovim whose server takes seconds for each answer: JOB as in job.lua, with
-- {delay_ms, log}. Nothing that a user does may wait for the server.
local job = vim.json.decode(table.concat(vim.fn.readfile(vim.env.JOB), '\n'))
local PATIENCE_MS = 120000
-- A loaded machine is slow too, but not as slow as the server.
local AT_ONCE_MS = 1000

local pickers = require('packhound.pickers')
local report = { version = tostring(vim.version()), steps = {} }

local function step(name, run)
  local fine, problem = xpcall(run, debug.traceback)
  table.insert(report.steps, { name = name, problem = not fine and tostring(problem) or nil })
end

local function at_once(run)
  local started = vim.uv.hrtime()
  local result = run()
  local took_ms = (vim.uv.hrtime() - started) / 1e6
  assert(took_ms < AT_ONCE_MS, ('it blocked for %d ms'):format(took_ms))
  return result
end

local function wait_for(condition, what)
  assert(vim.wait(PATIENCE_MS, condition, 20), what)
end

local function logged()
  return vim.fn.filereadable(job.log) == 1 and vim.fn.readfile(job.log) or {}
end

local messages = {}
vim.notify = function(message)
  table.insert(messages, message)
end

step('the server runs', function()
  vim.cmd.cd(job.root)
  require('packhound.config').set({ cmd = job.cmd, picker = 'select' })
  at_once(function()
    vim.cmd.edit('courier/retry.py')
  end)
end)

step('each key cancels the search before it, and none blocks', function()
  local search = pickers.asker(pickers.search_question())
  local answers, slow = {}, 0
  local typed = { 's', 'se', 'sen', 'send' }
  local started = vim.uv.hrtime()
  for _, query in ipairs(typed) do
    at_once(function()
      search(query, function(items)
        table.insert(answers, { query = query, items = items })
      end, {
        slow = function()
          slow = slow + 1
        end,
      })
    end)
    vim.wait(job.key_ms, function()
      return false
    end)
  end
  wait_for(function()
    return #answers > 0
  end, 'no answer')
  assert((vim.uv.hrtime() - started) / 1e6 > job.delay_ms, 'the server was not slow')
  assert(#answers == 1 and answers[1].query == 'send', vim.inspect(answers))
  assert(answers[1].items[1].hit.name == 'send', vim.inspect(answers))
  assert(slow >= 1, 'nobody was told that the server is slow')
  local lines = logged()
  local cancels = vim.tbl_filter(function(line)
    return line == 'cancel'
  end, lines)
  assert(#cancels >= 1 and lines[#lines] == 'packhound/search send', vim.inspect(lines))
end)

step('an empty prompt cancels too', function()
  local search = pickers.asker(pickers.search_question())
  local answers = {}
  local function done(items)
    table.insert(answers, items)
  end
  search('gone', done)
  wait_for(function()
    return vim.tbl_contains(logged(), 'packhound/search gone')
  end, 'never sent')
  search('', done)
  wait_for(function()
    local lines = logged()
    return lines[#lines] == 'cancel'
  end, 'never cancelled')
  assert(#answers == 1 and #answers[1] == 0, vim.inspect(answers))
end)

step('no command blocks', function()
  local offered
  vim.ui.select = function(items)
    offered = items
  end
  for _, command in ipairs({ 'search late', 'related', 'why late', 'status', 'quickfix late', 'pack late' }) do
    at_once(function()
      vim.cmd('Packhound ' .. command)
    end)
  end
  assert(not offered, 'the server was not slow')
  -- The answers come in any order, so any window may be the current one.
  local function is_packed()
    return vim.iter(vim.api.nvim_list_bufs()):any(function(bufnr)
      return vim.b[bufnr].packhound_pack == 'slow text'
    end)
  end
  local function has_message(text)
    return table.concat(messages, '\n'):find(text, 1, true)
  end
  wait_for(function()
    return offered and #vim.fn.getqflist() > 0 and is_packed() and has_message('ready: ')
  end, 'not all was answered')
  assert(has_message('searching'), vim.inspect(messages))
end)

vim.fn.writefile({ vim.json.encode(report) }, job.report)
vim.cmd('qa!')
