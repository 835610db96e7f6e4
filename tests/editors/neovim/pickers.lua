-- Runs inside a headless Neovim that has a real picker plugin: JOB as in job.lua. Each step opens
-- the picker and compares its rows with the server's order.
local job = vim.json.decode(table.concat(vim.fn.readfile(vim.env.JOB), '\n'))
local PATIENCE_MS = 120000
-- The deep model puts another row than BM25 and the small model first but one.
local QUERY = 'limit how many requests a client may send'

local report = { version = tostring(vim.version()), steps = {} }

local function step(name, run)
  local fine, problem = xpcall(run, debug.traceback)
  table.insert(report.steps, { name = name, problem = not fine and tostring(problem) or nil })
end

local function finish()
  vim.fn.writefile({ vim.json.encode(report) }, job.report)
  -- :qa! would wait for the terminal that fzf runs in.
  os.exit(0)
end

local packhound = require('packhound')
local first, expected

-- The open picker: its rows as far as it shows them, best first, the row that the user is in, and a
-- function that goes to a row.
local open = {
  telescope = function()
    local bufnr = vim.api.nvim_get_current_buf()
    local picker = require('telescope.actions.state').get_current_picker(bufnr)
    local rows = {}
    for entry in picker.manager:iter() do
      table.insert(rows, entry.value.text)
    end
    return rows, picker:get_index(picker:get_selection_row()), function(row)
      picker:set_selection(picker:get_row(row))
    end
  end,
  snacks = function()
    local list = require('snacks').picker.get()[1].list
    local rows = vim.tbl_map(function(item)
      return item.text
    end, list.items)
    return rows, list.cursor, function(row)
      list:view(row)
    end
  end,
  ['mini.pick'] = function()
    local pick = require('mini.pick')
    local matches = pick.get_picker_matches()
    local rows = vim.tbl_map(function(item)
      return item.text
    end, matches.all or {})
    return rows, matches.current_ind, function(row)
      pick.set_picker_match_inds({ row }, 'current')
    end
  end,
  ['fzf-lua'] = function()
    local rows = {}
    for _, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
      local row = line:match('[%w_.]+  [%w_./]+:%d+.*%S')
      if row then
        table.insert(rows, (row:gsub('%s*│.*$', '')))
      end
    end
    return rows
  end,
}

local function is_expected()
  local rows = open[job.picker]()
  for at = 1, math.min(3, #expected) do
    if not rows[at] or rows[at]:sub(1, 40) ~= expected[at]:sub(1, 40) then
      return false
    end
  end
  return true
end

local function wait_for(what, condition, seen)
  local fine = vim.wait(PATIENCE_MS, function()
    local known, same = pcall(condition)
    return known and same
  end, 50)
  if not fine then
    local _, state = pcall(seen)
    error(('waited for %s; got %s'):format(what, vim.inspect(state)))
  end
end

local function compare(name)
  step(name, function()
    wait_for(vim.inspect(expected), is_expected, open[job.picker])
  end)
end

local client = require('packhound.client')

local near

local function rows_of(params)
  local server = vim.lsp.get_clients({ name = 'packhound' })[1]
  local results = client.request('packhound/search', near(params)(server), PATIENCE_MS)
  return require('packhound.hits').rows(results)
end

local function texts(items)
  return vim.tbl_map(function(item)
    return item.text
  end, items)
end

step('the server runs', function()
  vim.cmd.cd(job.root)
  vim.cmd.edit('courier/cache.py')
  vim.o.laststatus, vim.o.statusline = 2, "%{v:lua.require'packhound'.statusline()}"
  packhound.setup({ cmd = job.cmd, picker = job.picker })
  if job.picker == 'snacks' then
    require('snacks').setup({ picker = {} })
  elseif job.picker == 'mini.pick' then
    require('mini.pick').setup()
  end
  client.request('packhound/status', { wait = true }, PATIENCE_MS)
  near = client.near()
  first = rows_of({ query = QUERY })
  expected = texts(first)
  assert(#expected > 3, 'too few results to have an order')
end)

-- Holds the second answer back until the user is in another row than the first.
local release
local ask, n_requests = client.request_async, 0
client.request_async = function(method, params, ...)
  n_requests = n_requests + 1
  local arguments = { method, params, ... }
  local message = params(vim.lsp.get_clients({ name = 'packhound' })[1])
  if not message.deep then
    return ask(method, params, ...)
  end
  release = function()
    ask(unpack(arguments))
  end
  return function() end
end

local function refined()
  local ROW = 3
  local _, _, go_to = open[job.picker]()
  local second
  -- While the deep model is loaded, an answer may have the first order.
  wait_for('a second answer in another order', function()
    second = require('packhound.hits').reorder(first, rows_of({ query = QUERY, deep = true }), ROW)
    return second
  end, function() end)
  wait_for('a question for the second answer', function()
    return release
  end, function() end)
  go_to(ROW)
  release()
  expected = texts(second)
  assert(expected[ROW] == texts(first)[ROW], 'the row that the user is in has moved')
  wait_for(vim.inspect(expected), function()
    local rows, row = open[job.picker]()
    return row == ROW and vim.deep_equal(rows, expected)
  end, open[job.picker])
end

local function refreshed()
  local before = n_requests
  require('packhound.pickers').partial = true
  vim.api.nvim_exec_autocmds('User', { pattern = 'PackhoundState' })
  wait_for('a question', function()
    return n_requests > before
  end, function() end)
  expected = texts(first)
  wait_for(vim.inspect(expected), is_expected, open[job.picker])
end

-- What the screen shows below the windows: redrawn while a picker waits for keys.
local function statusline_drawn()
  local server = vim.lsp.get_clients({ name = 'packhound' })[1]
  local state = { state = 'indexing', pending = 7, reading = '4 of 11 files read so far' }
  client.handlers['packhound/indexState'](nil, state, { client_id = server.id })
  local function drawn()
    local cells = {}
    for column = 1, vim.o.columns do
      table.insert(cells, vim.fn.screenstring(vim.o.lines - vim.o.cmdheight, column))
    end
    return table.concat(cells)
  end
  wait_for('packhound 4 of 11 files on the screen', function()
    return drawn():find('packhound 4 of 11 files', 1, true)
  end, drawn)
end

-- Presses Enter, and calls `done` once the row's file is there; keys wait for the end of this function.
local function choose(done)
  local columns = {}
  for _, item in ipairs(first) do
    columns[('%s:%d'):format(item.path, item.lnum)] = item.col
  end
  local deadline = vim.uv.now() + PATIENCE_MS
  vim.api.nvim_input('<CR>')
  local function poll()
    local name = vim.api.nvim_buf_get_name(0)
    local line, column = unpack(vim.api.nvim_win_get_cursor(0))
    local is_open = columns[('%s:%d'):format(name, line)] == column + 1 and not name:match('cache%.py$')
    if not is_open and vim.uv.now() < deadline then
      vim.defer_fn(poll, 50)
      return
    end
    step('Enter opens the row', function()
      assert(is_open, ('%s:%d:%d is open, none of %s'):format(name, line, column + 1, vim.inspect(columns)))
    end)
    done()
  end
  poll()
end

-- Opens the picker again, presses `<C-q>` without marks, and calls `done` once the list is there.
local function to_quickfix(done)
  local deadline, sent = vim.uv.now() + PATIENCE_MS, false
  local function poll()
    local has_rows, rows = pcall(open[job.picker])
    if not sent and has_rows and #rows > 2 then
      sent = true
      vim.api.nvim_input('<C-q>')
    end
    local entries = vim.fn.getqflist()
    if #entries == 0 and vim.uv.now() < deadline then
      vim.defer_fn(poll, 50)
      return
    end
    step('<C-q> puts the rows into the quickfix list', function()
      assert(#entries > 2, vim.inspect(entries))
      assert(entries[1].text:find('Bucket', 1, true), entries[1].text)
    end)
    done()
  end
  vim.defer_fn(poll, 500)
  vim.cmd('Packhound search ' .. QUERY)
end

-- mini.pick waits for keys inside start(), so what follows it has to be scheduled.
vim.defer_fn(function()
  compare('rows of a search')
  -- fzf keeps its first answer: nothing tells which row its user is in.
  if job.picker ~= 'fzf-lua' then
    step('the second answer leaves the current row where it is', refined)
  end
  step('the rows are asked for again when the index is ready', refreshed)
  -- The windows of snacks lie over it.
  if job.picker ~= 'snacks' then
    step('the statusline is redrawn', statusline_drawn)
  end
  choose(function()
    to_quickfix(finish)
  end)
end, 1500)
step('the picker opens', function()
  vim.cmd('Packhound search ' .. QUERY)
end)
