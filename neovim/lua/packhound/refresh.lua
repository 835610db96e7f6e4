-- Lists that were made while files were still being read are asked for again when all are.
local client = require('packhound.client')

local M = {}

--- The answer is of a part of the files: a note says how many were read.
---@param results table
function M.is_partial(results)
  return vim.iter(results.notes):any(function(note)
    return note:match('%d files read') ~= nil
  end)
end

--- Calls `run` whenever the index becomes ready.
---@param list string the name of a list; the one before of that name is no longer followed
---@param run fun()
function M.on_ready(list, run)
  vim.api.nvim_create_autocmd('User', {
    group = vim.api.nvim_create_augroup('packhound_refresh_' .. list, {}),
    pattern = 'PackhoundState',
    callback = function()
      if client.is_ready() then
        vim.schedule(run)
      end
    end,
  })
end

return M
