-- What the steps of a job share. JOB names a JSON file with {root, cmd, report, start, patience_s};
-- a step of the report has a `problem` if it failed.
local job = vim.json.decode(table.concat(vim.fn.readfile(vim.env.JOB), '\n'))
-- All waits together end before the process is killed, so that the report says which was in vain.
local deadline = vim.uv.now() + job.patience_s * 1000

local M = { job = job, messages = {}, report = { version = tostring(vim.version()), steps = {} } }

function M.left_ms()
  return math.max(1, deadline - vim.uv.now())
end

function M.step(name, run)
  if vim.uv.now() > deadline then
    -- What it would say hides the step that waited in vain.
    table.insert(M.report.steps, { name = name, problem = 'the time was up before it' })
    return
  end
  local fine, problem = xpcall(run, debug.traceback)
  table.insert(M.report.steps, { name = name, problem = not fine and tostring(problem) or nil })
end

function M.same(actual, expected, what)
  if not vim.deep_equal(actual, expected) then
    error(('%s: expected %s, got %s'):format(what or 'value', vim.inspect(expected), vim.inspect(actual)), 2)
  end
end

function M.is_true(value, what)
  if not value then
    error(what, 2)
  end
end

function M.names(results)
  return vim.tbl_map(function(hit)
    return hit.qualname
  end, results.hits)
end

vim.notify = function(message)
  if not message:match('searching …$') then
    table.insert(M.messages, message)
  end
end

function M.text_of_buffer()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
end

--- Waits until `condition` holds; a failure says what was waited for and what there was.
function M.wait_for(what, condition)
  if not vim.wait(M.left_ms(), condition, 20) then
    local state = { messages = M.messages, offered = M.offered }
    state.buffer, state.text = vim.api.nvim_buf_get_name(0), M.text_of_buffer()
    error(('waited in vain for %s; there was %s'):format(what, vim.inspect(state)), 2)
  end
end

--- A request that fails ends the wait.
function M.wait_for_message(pattern)
  local last = ''
  M.wait_for('the message ' .. pattern, function()
    last = M.messages[#M.messages] or ''
    return last:match(pattern) or last:match(' failed: ')
  end)
  M.is_true(last:match(pattern), last)
end

--- Runs a command that answers with a message.
function M.wait_for_message_of(command, pattern)
  M.messages = {}
  vim.cmd('Packhound ' .. command)
  M.wait_for_message(pattern)
end

-- Answers vim.ui.select and remembers what it was M.offered.
function M.answer_select(choice)
  vim.ui.select = function(items, options, done)
    M.offered = vim.tbl_map(options.format_item or tostring, items)
    done(items[choice], choice)
  end
end

--- Runs a command, chooses the first row of its list, and returns the rows; none where there is a
--- message instead.
function M.list_of(command)
  M.answer_select(1)
  M.offered, M.messages = nil, {}
  vim.cmd('Packhound ' .. command)
  M.wait_for('a list of ' .. command, function()
    return M.offered or M.messages[1]
  end)
  return M.offered or {}
end

--- Runs a command until a row of its list matches: the server reads an edit in its own time.
function M.list_with(pattern, command)
  local rows
  M.wait_for(pattern .. ' in the list of ' .. command, function()
    rows = table.concat(M.list_of(command), '\n')
    return rows:match(pattern)
  end)
  return rows
end

function M.pack_of(command)
  M.messages = {}
  vim.cmd('Packhound ' .. command)
  M.wait_for('a pack', function()
    return vim.b.packhound_pack
  end)
  return vim.b.packhound_pack
end

function M.search(query)
  return require('packhound.client').request('packhound/search', { query = query }, M.left_ms())
end

return M
