-- :checkhealth packhound
local config = require('packhound.config')

local M = {}

local function check_server()
  vim.health.start('Server')
  local command = config.command()
  if not command then
    vim.health.error('The server was not found.', {
      'Install it: pip install packhound',
      "Or name it: setup({ cmd = { '/path/to/packhound', 'lsp' } })",
    })
    return
  end
  if vim.fn.executable(command[1]) == 0 then
    vim.health.error(("'%s' cannot be run."):format(command[1]), 'Mend `cmd` in setup().')
    return
  end
  vim.health.ok('Command: ' .. table.concat(command, ' '))
  local client = vim.lsp.get_clients({ name = 'packhound' })[1]
  if not client then
    vim.health.info('No server is running yet. It starts with setup(), or with the first :Packhound search.')
    return
  end
  vim.health.ok(('Running for %s, position encoding %s'):format(client.config.root_dir, client.offset_encoding))
end

local function check_index()
  vim.health.start('Index')
  if #vim.lsp.get_clients({ name = 'packhound' }) == 0 then
    vim.health.info('Known when a server is running.')
    return
  end
  local ok, state = pcall(require('packhound.client').request, 'packhound/status', vim.empty_dict())
  if not ok then
    vim.health.error(tostring(state), 'See :LspLog.')
    return
  end
  local lines = require('packhound.status').format(state)
  vim.health.ok(lines[1])
  for i = 2, #lines do
    vim.health.info(lines[i])
  end
end

local function check_picker()
  vim.health.start('Picker')
  local fine, name = pcall(require('packhound.pickers').chosen)
  if not fine then
    vim.health.error(tostring(name))
  elseif name == 'select' then
    vim.health.info('vim.ui.select. telescope, fzf-lua, snacks or mini.pick would show results while you type.')
  else
    vim.health.ok(name)
  end
end

local function check_runner()
  vim.health.start('Tests')
  local name = require('packhound.tests').runner()
  if name then
    vim.health.ok(name)
  else
    vim.health.info('No test runner for :Packhound test, see :help packhound-test.')
  end
end

function M.check()
  vim.health.start('Neovim')
  if vim.fn.has('nvim-0.10') == 1 then
    vim.health.ok('Version ' .. tostring(vim.version()))
  else
    vim.health.error('Packhound needs Neovim 0.10 or newer.')
  end
  check_server()
  check_index()
  check_picker()
  check_runner()
end

return M
