local reorder = require('packhound.hits').reorder

local M = {}

local function entry(item)
  return {
    value = item,
    display = function()
      return item.text, item.dim and { { item.dim, 'Comment' } } or {}
    end,
    ordinal = item.text,
    filename = item.path,
    path = item.path,
    lnum = item.lnum,
    col = item.col,
  }
end

local function show(task, query, finder)
  local values = require('telescope.config').values
  local picker = require('telescope.pickers').new({ sorting_strategy = 'ascending' }, {
    prompt_title = task.title,
    preview_title = 'Preview',
    default_text = query,
    finder = finder,
    sorter = require('telescope.sorters').empty(),
    previewer = values.grep_previewer({}),
    attach_mappings = function(prompt, map)
      local actions = require('telescope.actions')
      map({ 'i', 'n' }, '<C-q>', function()
        local current = require('telescope.actions.state').get_current_picker(prompt)
        local marked, all = current:get_multi_selection(), {}
        for row in current.manager:iter() do
          table.insert(all, row)
        end
        actions.close(prompt)
        task.to_quickfix(vim.tbl_map(function(row)
          return row.value
        end, #marked > 0 and marked or all))
      end)
      actions.select_default:replace(function()
        local selected = require('telescope.actions.state').get_selected_entry()
        actions.close(prompt)
        if selected then
          -- The end of insert mode moves the cursor to the left.
          vim.schedule(function()
            task.open(selected.value)
          end)
        end
      end)
      return true
    end,
  })
  picker:find()
  return picker
end

--- A finder of telescope's interface: it returns at once, and hands its entries over later.
local function live_finder(task, set_title, refine)
  local cancel = function() end
  return setmetatable({
    close = function()
      cancel()
    end,
  }, {
    __call = function(finder, prompt, process_result, process_complete)
      local function add(items)
        for index, item in ipairs(items) do
          local row = entry(item)
          row.index = index
          if process_result(row) then
            return
          end
        end
        process_complete()
      end
      if finder.second then
        add(finder.second)
        finder.second = nil
        return
      end
      cancel = task.search(prompt or '', function(items)
        set_title(task.title)
        add(items)
      end, {
        slow = function()
          set_title(task.busy_title)
        end,
        better = refine,
      })
    end,
  })
end

--- Runs the finder anew, which then has the rows of the second answer; the selection and what the
--- window shows stay where they are.
local function refine(picker, items)
  local first = {}
  for row in picker.manager:iter() do
    table.insert(first, row.value)
  end
  local selected, window = picker:get_selection_row(), picker.results_win
  picker.finder.second = #first > 0 and reorder(first, items, picker:get_index(selected)) or nil
  if not picker.finder.second then
    return false
  end
  local view = vim.api.nvim_win_call(window, vim.fn.winsaveview)
  local strategy = picker.selection_strategy
  picker.selection_strategy = 'row'
  picker:register_completion_callback(function()
    picker.selection_strategy = strategy
    picker:clear_completion_callbacks()
    vim.api.nvim_win_call(window, function()
      vim.fn.winrestview(view)
    end)
  end)
  picker:refresh()
  return true
end

function M.live(task)
  local picker
  local function set_title(title)
    local border = picker and picker.prompt_border
    if border and not picker.closed and border.change_title then
      border:change_title(title)
    end
  end
  local finder = live_finder(task, set_title, function(items)
    return not picker.closed and refine(picker, items)
  end)
  picker = show(task, task.query, finder)
  task.when_ready(function()
    if not picker.closed then
      picker:refresh(finder)
    end
  end)
end

--- What is typed does not narrow the list: its order and its rows are the server's.
function M.list(task)
  local finders = require('telescope.finders')
  show(task, '', finders.new_table({ results = task.items, entry_maker = entry }))
end

return M
