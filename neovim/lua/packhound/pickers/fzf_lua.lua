local M = {}

-- fzf hands back the chosen text; what stands before the first tab finds the item again.
local function row(item)
  local from, to = unpack(item.dim or { #item.text, #item.text })
  local place = require('fzf-lua').utils.ansi_codes.grey(item.text:sub(from + 1, to))
  local text = item.text:sub(1, from) .. place .. item.text:sub(to + 1)
  return ('%s:%d:%d\t%s'):format(item.path, item.lnum, item.col, text)
end

-- The key that makes fzf ask again, and what a terminal sends for it.
local AGAIN, AGAIN_SENT = 'f12', '\27[24~'

local function options(task, items_by_row)
  return {
    prompt = task.title .. '> ',
    query = task.query,
    previewer = 'builtin',
    fzf_opts = { ['--no-sort'] = true, ['--multi'] = true, ['--delimiter'] = '\t', ['--with-nth'] = '2..' },
    actions = {
      ['ctrl-q'] = function(selected)
        local marked = vim.tbl_map(function(text)
          return items_by_row[text:match('^[^\t]*')]
        end, selected)
        -- fzf names the current row where none is marked.
        task.to_quickfix(#marked > 1 and marked or items_by_row.shown)
      end,
      ['default'] = function(selected)
        local item = selected[1] and items_by_row[selected[1]:match('^[^\t]*')]
        if item then
          task.open(item)
        end
      end,
    },
  }
end

local function rows(items, items_by_row)
  items_by_row.shown = items
  return vim.tbl_map(function(item)
    local text = row(item)
    items_by_row[text:match('^[^\t]*')] = item
    return text
  end, items)
end

-- fzf is a program of its own, so the key is typed into its terminal.
local function ask_again()
  local window = require('fzf-lua').utils.fzf_winobj()
  local bufnr = window and window.fzf_bufnr
  if bufnr and vim.api.nvim_buf_is_valid(bufnr) then
    vim.api.nvim_chan_send(vim.bo[bufnr].channel, AGAIN_SENT)
  end
end

function M.live(task)
  local items_by_row = {}
  task.when_ready(ask_again)
  local live_options = options(task, items_by_row)
  live_options.actions[AGAIN] = { fn = function() end, reload = true }
  require('fzf-lua').fzf_live(function(typed)
    -- Older versions pass the text, newer ones a list with the text in it.
    local query = type(typed) == 'table' and typed[1] or typed
    -- fzf shows its spinner until the end of the rows, which is nil.
    return function(add)
      task.search(query or '', function(items)
        for _, line in ipairs(rows(items, items_by_row)) do
          add(line)
        end
        add(nil)
      end)
    end
  end, live_options)
end

function M.list(task)
  local items_by_row = {}
  local lines = rows(task.items, items_by_row)
  require('fzf-lua').fzf_exec(lines, options(task, items_by_row))
end

return M
