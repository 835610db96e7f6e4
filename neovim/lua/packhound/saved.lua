-- Searches that the user keeps, by project, in a file of Neovim's state.
local config = require('packhound.config')
local pickers = require('packhound.pickers')

local M = {}

local function file()
  return vim.fs.joinpath(vim.fn.stdpath('state'), 'packhound-searches.json')
end

-- All saved searches, and the folder whose searches count now.
local function read()
  local is_read, text = pcall(vim.fn.readblob, file())
  local is_json, all = pcall(vim.json.decode, is_read and text or '')
  return is_json and all or {}, config.root(vim.api.nvim_get_current_buf())
end

--- Keeps a query, or one that is kept no more.
---@param query string?
---@return string outcome
function M.toggle(query)
  if not query or vim.trim(query) == '' then
    error('Nothing was searched yet. Give the query: :Packhound save <query>', 0)
  end
  local all, root = read()
  local others = vim.tbl_filter(function(each)
    return each ~= query
  end, all[root] or {})
  local is_new = #others == #(all[root] or {})
  if is_new then
    table.insert(others, query)
  end
  all[root] = others
  vim.fn.mkdir(vim.fn.stdpath('state'), 'p')
  vim.fn.writefile({ vim.json.encode(all) }, file())
  return is_new and 'the search was saved.' or 'the search is not saved any more.'
end

--- Lists the saved searches; the chosen one is asked again.
function M.list()
  local all, root = read()
  local items = vim.tbl_map(function(query)
    local run = function()
      pickers.live(pickers.search_question(), query)
    end
    return { text = query, path = '', lnum = 1, end_lnum = 1, col = 1, run = run }
  end, all[root] or {})
  for at, item in ipairs(items) do
    -- fzf-lua tells rows apart by their places.
    item.lnum = at
  end
  pickers.show('Packhound: saved searches', items, 'no search is saved; :Packhound save keeps the last one.')
end

return M
