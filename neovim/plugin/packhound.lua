-- Defines :Packhound. Nothing else is loaded, and no server is started, before it is used or
-- `require('packhound').setup()` or `vim.lsp.enable('packhound')` is called.
if vim.g.loaded_packhound then
  return
end
vim.g.loaded_packhound = true

if vim.fn.has('nvim-0.10') == 0 then
  vim.notify('Packhound needs Neovim 0.10 or newer.', vim.log.levels.WARN)
  return
end

vim.api.nvim_create_autocmd('BufReadCmd', {
  pattern = 'packhound://*',
  desc = 'Packhound: show a note or another record',
  callback = function(event)
    require('packhound.records').read(event.buf, event.match)
  end,
})

vim.api.nvim_create_user_command('Packhound', function(call)
  require('packhound.commands').run(call)
end, {
  nargs = '*',
  range = true,
  desc = 'Packhound: search code, explain, pack; see :help :Packhound',
  complete = function(lead, line)
    return require('packhound.commands').complete(lead, line)
  end,
})
