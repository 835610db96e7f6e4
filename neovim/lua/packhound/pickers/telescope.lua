local M = {}

local function entry(item)
  return {
    value = item,
    display = item.text,
    ordinal = item.text,
    filename = item.path,
    path = item.path,
    lnum = item.lnum,
    col = item.col,
  }
end

local function show(title, query, finder)
  local values = require('telescope.config').values
  require('telescope.pickers')
    .new({ sorting_strategy = 'ascending' }, {
      prompt_title = title,
      default_text = query,
      finder = finder,
      sorter = require('telescope.sorters').empty(),
      previewer = values.grep_previewer({}),
    })
    :find()
end

function M.live(task)
  local finders = require('telescope.finders')
  show(task.title, task.query, finders.new_dynamic({ fn = task.items, entry_maker = entry }))
end

--- What is typed does not narrow the list: its order and its rows are the server's.
function M.list(task)
  local finders = require('telescope.finders')
  show(task.title, '', finders.new_table({ results = task.items, entry_maker = entry }))
end

return M
