-- Runs inside a headless Neovim: the job of a user through the plugin; support.lua says what JOB is.
local folder = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
package.path = folder .. '/?.lua;' .. package.path
local t = require('support')

local TEST = { t.job.cmd[1], '-m', 'pytest', '-q' }

local NOTEBOOK = [[
{"cells": [
  {"cell_type": "markdown", "metadata": {}, "source": ["# Tides"]},
  {"cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [], "source": [
    "import math\n",
    "def smooth_tide_heights(heights):\n",
    "    return sum(heights) / len(heights)"
  ]}
], "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}]]

t.step('the plugin starts its server', function()
  vim.cmd.cd(t.job.root)
  vim.fn.writefile(vim.split(NOTEBOOK, '\n'), 'tides.ipynb')
  vim.cmd('filetype on')
  if t.job.start == 'enable' then
    require('packhound.config').set({ cmd = t.job.cmd, test = TEST })
    vim.lsp.enable('packhound')
    vim.cmd.edit('courier/cache.py')
  else
    vim.cmd.edit('courier/cache.py')
    require('packhound').setup({ cmd = t.job.cmd, picker = 'select', settings = { limit = 7 }, test = TEST })
  end
  t.wait_for('a client', function()
    local client = vim.lsp.get_clients({ name = 'packhound', bufnr = 0 })[1]
    return client and client.initialized
  end)
  local client = vim.lsp.get_clients({ name = 'packhound' })[1]
  t.same(vim.uv.fs_realpath(client.config.root_dir), vim.uv.fs_realpath(t.job.root), 'root')
  local state = require('packhound.client').request('packhound/status', { wait = true }, t.left_ms())
  t.is_true(state.files >= 8, vim.inspect(state))
end)

require('finding')
require('acting')
require('proposing')
require('troubles')

vim.fn.writefile({ vim.json.encode(t.report) }, t.job.report)
vim.cmd('qa!')
