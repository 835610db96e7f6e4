-- Without a picker: one question for the query, one list of the hits.

local M = {}

-- A list that comes while the user types would take the keys, and open a file for those that follow.
local function when_not_typing(run)
  if not vim.api.nvim_get_mode().mode:match('^[iR]') then
    run()
    return
  end
  vim.api.nvim_create_autocmd('InsertLeave', { once = true, callback = vim.schedule_wrap(run) })
end

local function select(task)
  vim.ui.select(task.items, {
    prompt = task.title,
    kind = 'packhound',
    format_item = function(item)
      return item.text
    end,
  }, function(item)
    if item then
      task.open(item)
    end
  end)
end

function M.list(task)
  when_not_typing(function()
    select(task)
  end)
end

function M.live(task)
  local function search(query)
    if not query or vim.trim(query) == '' then
      return
    end
    task.search(query, function(items)
      M.list({ title = 'Packhound: ' .. query, items = items, open = task.open })
    end, {
      slow = function()
        vim.notify(task.busy_title)
      end,
    })
  end
  if task.query ~= '' then
    search(task.query)
  else
    vim.ui.input({ prompt = 'Packhound: ' }, search)
  end
end

return M
