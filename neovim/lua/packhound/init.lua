-- Packhound for Neovim: finds code by name and by meaning, unsaved text included.
local config = require('packhound.config')

local M = {}

--- Sets options, and attaches the server to every file.
---@param options table? see :help packhound-setup
function M.setup(options)
  config.set(options)
  M.attach_from_now_on()
  if not config.command() then
    vim.notify('Packhound: ' .. config.not_found, vim.log.levels.WARN)
  end
end

--- Attaches the server to every file from now on, and to those that are open.
function M.attach_from_now_on()
  local group = vim.api.nvim_create_augroup('packhound', {})
  vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile', 'BufFilePost' }, {
    group = group,
    desc = 'Packhound: attach the server',
    callback = function(event)
      require('packhound.client').attach(event.buf)
    end,
  })
  M.attach_all()
end

--- Attaches the server to every file that is open.
function M.attach_all()
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) then
      require('packhound.client').attach(bufnr)
    end
  end
end

--- Search results for scripts, the object that `packhound search --json` prints; blocks Neovim.
---@param query string
---@param options table? limit, mode, kinds, languages, paths
---@return table
function M.search(query, options)
  local params = vim.tbl_extend('force', options or {}, { query = query })
  return require('packhound.client').request('packhound/search', params)
end

--- For a statusline: `packhound ✓`, `packhound 40/100`, or nothing.
---@return string
function M.statusline()
  return require('packhound.status').statusline()
end

return M
