-- For Neovim 0.11 and newer: vim.lsp.enable('packhound'). Without `filetypes` the server is
-- attached to files of every type.
local client = require('packhound.client')
local config = require('packhound.config')

return {
  cmd = config.command() or { 'packhound', 'lsp' },
  root_markers = config.values.root_markers,
  settings = { packhound = config.values.settings },
  handlers = client.handlers,
  on_exit = client.on_exit,
}
