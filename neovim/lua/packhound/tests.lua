-- Runs the tests of what is not committed, with the runner that the user has.
local client = require('packhound.client')
local config = require('packhound.config')

local M = {}

--- Runs a command in a terminal below.
local function run_in_terminal(command, root)
  vim.cmd('botright new')
  if vim.fn.has('nvim-0.11') == 1 then
    vim.fn.jobstart(command, { term = true, cwd = root })
  else
    vim.fn.termopen(command, { cwd = root })
  end
end

local function run_neotest(paths)
  for _, path in ipairs(paths) do
    require('neotest').run.run(path)
  end
end

local function run_vim_test(paths)
  for _, path in ipairs(paths) do
    require('packhound.hits').go_to(path, 1, 1)
    vim.cmd('TestFile')
  end
end

--- What runs test files, by name and as a function; nothing where there is none.
---@return string? name
---@return fun(paths: string[], root: string)? run
function M.runner()
  local test = config.values.test
  if type(test) == 'function' then
    return 'the function of setup()', test
  end
  if test then
    return table.concat(test, ' '), function(paths, root)
      run_in_terminal(vim.list_extend(vim.deepcopy(test), paths), root)
    end
  end
  if pcall(require, 'neotest') then
    return 'neotest', run_neotest
  end
  if vim.fn.exists(':TestFile') == 2 then
    return 'vim-test', run_vim_test
  end
end

--- Lists the tests of what differs from a commit; the chosen ones are run.
---@param base string empty: what is not committed
function M.list(base)
  local root = config.root(vim.api.nvim_get_current_buf())
  local _, run = M.runner()
  if not run then
    error('there is no test runner; see :help packhound-test', 0)
  end
  local function row(text, paths)
    return {
      text = text,
      path = paths[2] and '' or paths[1],
      lnum = 1,
      end_lnum = 1,
      col = 1,
      run = function()
        run(paths, root)
      end,
    }
  end
  client.ask('packhound/changes', base ~= '' and { base = base } or vim.empty_dict(), function(answer)
    local paths, rows = {}, {}
    for _, test in ipairs(answer.tests) do
      local path = vim.fs.joinpath(test.root or root, test.path)
      table.insert(paths, path)
      table.insert(rows, row(('run %s  %s'):format(test.path, table.concat(test.reasons, ', ')), { path }))
    end
    if paths[2] then
      table.insert(rows, 1, row(('run all %d'):format(#paths), paths))
    end
    require('packhound.pickers').show('Packhound: tests to run', rows, 'nothing differs that a test would reach.')
  end)
end

return M
