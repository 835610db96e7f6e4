-- Runs inside a headless Neovim in which nothing was set up: JOB as in support.lua.
local folder = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
package.path = folder .. '/?.lua;' .. package.path
local t = require('support')

t.step('nothing is loaded before :Packhound', function()
  vim.cmd.cd(t.job.root)
  vim.o.hidden = true
  vim.cmd.edit('courier/urls.py')
  vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'def fold_zebra_stripes():', '    pass', '' })
  vim.cmd.edit('courier/cache.py')
  t.same(vim.tbl_filter(function(name)
    return vim.startswith(name, 'packhound')
  end, vim.tbl_keys(package.loaded)), {})
  t.same(#vim.lsp.get_clients(), 0, 'servers')
end)

t.step('the first search starts the server, and finds what another file has unsaved', function()
  t.list_with('fold_zebra_stripes  courier/urls%.py:1', 'search fold_zebra_stripes')
  vim.cmd.edit('courier/client.py')
  t.wait_for('the server at the next file', function()
    return vim.lsp.get_clients({ name = 'packhound', bufnr = 0 })[1]
  end)
end)

vim.fn.writefile({ vim.json.encode(t.report) }, t.job.report)
vim.cmd('qa!')
