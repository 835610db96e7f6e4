local reorder = require('packhound.hits').reorder

local M = {}

local DIM = vim.api.nvim_create_namespace('packhound_dim')

local function show(bufnr, items, query)
  require('mini.pick').default_show(bufnr, items, query)
  vim.api.nvim_buf_clear_namespace(bufnr, DIM, 0, -1)
  for row, item in ipairs(items) do
    if item.dim then
      local from, to = unpack(item.dim)
      vim.api.nvim_buf_set_extmark(bufnr, DIM, row - 1, from, { end_col = to, hl_group = 'Comment' })
    end
  end
end

local function source(task, more)
  return vim.tbl_extend('force', {
    name = task.title,
    show = show,
    choose_marked = function(items)
      vim.schedule(function()
        task.to_quickfix(items)
      end)
    end,
    choose = function(item)
      local target = require('mini.pick').get_picker_state().windows.target
      vim.api.nvim_win_call(target, function()
        task.open(item)
      end)
    end,
  }, more)
end

-- The key of the other pickers: what is marked, else all rows, go to the quickfix list.
local MAPPINGS = {
  to_quickfix = {
    char = '<C-q>',
    func = function()
      local pick = require('mini.pick')
      local matches, choose = pick.get_picker_matches(), pick.get_picker_opts().source.choose_marked
      choose(#matches.marked > 0 and matches.marked or matches.all)
      return true
    end,
  },
}

-- start() returns only when the picker is closed, so the query is set from its own event.
local function begin_with(query)
  if query == '' then
    return
  end
  vim.api.nvim_create_autocmd('User', {
    pattern = 'MiniPickStart',
    once = true,
    callback = function()
      require('mini.pick').set_picker_query(vim.fn.split(query, [[\zs]]))
    end,
  })
end

-- Makes a row the current one as soon as the items are set, which starts at the first one.
local function keep_current(row)
  vim.api.nvim_create_autocmd('User', {
    pattern = 'MiniPickMatch',
    once = true,
    callback = function()
      require('mini.pick').set_picker_match_inds({ row }, 'current')
    end,
  })
end

--- The current row is in the upper half of the list, where mini.pick does not scroll to it.
local function stays(matches)
  local window = require('mini.pick').get_picker_state().windows.main
  local height = vim.api.nvim_win_get_height(window)
  return #matches.all <= height or matches.current_ind <= math.floor(height / 2)
end

function M.live(task)
  local pick = require('mini.pick')
  begin_with(task.query)
  local cancel = function() end
  task.when_ready(function()
    if pick.is_picker_active() then
      pick.set_picker_query(pick.get_picker_query())
    end
  end)
  pick.start({
    mappings = MAPPINGS,
    source = source(task, {
      items = {},
      match = function(_, _, query)
        -- mini.pick marks its border as busy until the items are set.
        local tick = pick.get_querytick()
        local function set(items)
          if pick.is_picker_active() and pick.get_querytick() == tick then
            pick.set_picker_items(items, { do_match = false, querytick = tick })
          end
        end
        cancel = task.search(table.concat(query), set, {
          slow = function()
            set({ { text = task.busy_title, path = '' } })
          end,
          better = function(items)
            local matches = pick.get_picker_matches()
            local row = matches and matches.current and stays(matches) and matches.current_ind
            local rows = row and reorder(matches.all, items, row)
            if not rows then
              return false
            end
            keep_current(row)
            set(rows)
            return true
          end,
        })
      end,
    }),
  })
  cancel()
end

function M.list(task)
  local pick = require('mini.pick')
  pick.start({
    mappings = MAPPINGS,
    source = source(task, {
      items = task.items,
      -- What is typed narrows the list; what is left keeps its order.
      match = function(rows, indices, query)
        local text = table.concat(query):lower()
        return vim.tbl_filter(function(idx)
          return rows[idx]:lower():find(text, 1, true) ~= nil
        end, indices)
      end,
    }),
  })
end

return M
