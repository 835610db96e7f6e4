-- Runs inside a headless Neovim that has a real picker plugin: JOB as in job.lua. Each step opens
-- the picker and compares its rows with the server's order.
local job = vim.json.decode(table.concat(vim.fn.readfile(vim.env.JOB), '\n'))
local PATIENCE_MS = 30000
local QUERY = 'send a request again after a growing delay'

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
local expected

-- Rows of the open picker as far as it shows them, best first.
local shown = {
  telescope = function()
    local bufnr = vim.api.nvim_get_current_buf()
    local picker = require('telescope.actions.state').get_current_picker(bufnr)
    local rows = {}
    for entry in picker.manager:iter() do
      table.insert(rows, entry.value.text)
    end
    return rows
  end,
  snacks = function()
    local picker = require('snacks').picker.get()[1]
    return picker and vim.tbl_map(function(item)
      return item.text
    end, picker.list.items) or {}
  end,
  ['mini.pick'] = function()
    local matches = require('mini.pick').get_picker_matches()
    return matches and vim.tbl_map(function(item)
      return item.text
    end, matches.all or {}) or {}
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
  local rows = shown[job.picker]()
  for at = 1, math.min(3, #expected) do
    if not rows[at] or rows[at]:sub(1, 40) ~= expected[at]:sub(1, 40) then
      return false
    end
  end
  return true
end

local function compare(name)
  step(name, function()
    local fine = vim.wait(PATIENCE_MS, function()
      local known, same = pcall(is_expected)
      return known and same
    end, 50)
    if not fine then
      local _, rows = pcall(shown[job.picker])
      error(('expected %s, got %s'):format(vim.inspect(expected), vim.inspect(rows)))
    end
  end)
end

-- mini.pick waits for keys inside start(), so what follows it has to be scheduled.
local function after_opening(open, name, next)
  local timer = vim.uv.new_timer()
  timer:start(1500, 0, vim.schedule_wrap(function()
    compare(name)
    next()
  end))
  step(name .. ' opens', open)
end

step('the server runs', function()
  vim.cmd.cd(job.root)
  vim.cmd.edit('courier/cache.py')
  packhound.setup({ cmd = job.cmd, picker = job.picker })
  if job.picker == 'snacks' then
    require('snacks').setup({ picker = {} })
  elseif job.picker == 'mini.pick' then
    require('mini.pick').setup()
  end
  require('packhound.client').request('packhound/status', { wait = true }, PATIENCE_MS)
  local client = require('packhound.client')
  local server = vim.lsp.get_clients({ name = 'packhound' })[1]
  local results = client.request('packhound/search', client.near()({ query = QUERY })(server))
  expected = vim.tbl_map(function(item)
    return item.text
  end, require('packhound.hits').rows(results))
  assert(#expected > 2, 'too few results to have an order')
end)

-- fzf is a program of its own, which keeps its rows until a key is typed.
local function refresh()
  step('the rows are asked for again when the index is ready', function()
    if job.picker == 'fzf-lua' then
      return
    end
    local client = require('packhound.client')
    local ask, asked = client.request_async, 0
    client.request_async = function(...)
      asked = asked + 1
      return ask(...)
    end
    require('packhound.pickers').partial = true
    vim.api.nvim_exec_autocmds('User', { pattern = 'PackhoundState' })
    assert(vim.wait(PATIENCE_MS, function()
      return asked > 0
    end, 20), 'nothing was asked')
  end)
  compare('rows of the second answer')
  finish()
end

after_opening(function()
  vim.cmd('Packhound search ' .. QUERY)
end, 'rows of a search', refresh)
