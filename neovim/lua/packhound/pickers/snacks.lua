local reorder = require('packhound.hits').reorder

local M = {}

local function snack(item, idx)
  return {
    idx = idx,
    score = 1,
    text = item.text,
    file = item.path,
    pos = { item.lnum, item.col - 1 },
    end_pos = { item.end_lnum, 0 },
    item = item,
  }
end

local function snacks(items)
  local rows = {}
  for idx, item in ipairs(items) do
    rows[idx] = snack(item, idx)
  end
  return rows
end

local function show(task, more)
  require('snacks').picker.pick(vim.tbl_extend('force', {
    title = task.title,
    format = function(row)
      local from, to = unpack(row.item.dim or { #row.text, #row.text })
      return { { row.text:sub(1, from) }, { row.text:sub(from + 1, to), 'Comment' }, { row.text:sub(to + 1) } }
    end,
    preview = 'file',
    matcher = { sort_empty = false, fuzzy = false },
    sort = { fields = { 'idx' } },
    actions = {
      qflist = function(picker)
        local rows = picker:selected()
        rows = #rows > 0 and rows or picker:items()
        picker:close()
        task.to_quickfix(vim.tbl_map(function(row)
          return row.item
        end, rows))
      end,
    },
    confirm = function(picker, row)
      picker:close()
      if row then
        -- The end of insert mode moves the cursor to the left.
        vim.schedule(function()
          task.open(row.item)
        end)
      end
    end,
  }, more))
end

function M.live(task)
  local second
  task.when_ready(function()
    for _, picker in ipairs(require('snacks').picker.get()) do
      picker:find({ refresh = true })
    end
  end)
  -- Runs the finder anew, which then has these rows; the list stays where it is.
  local function refine(picker, items)
    local first = vim.tbl_map(function(row)
      return row.item
    end, picker.list.items)
    second = not picker.closed and #first > 0 and reorder(first, items, picker.list.cursor) or nil
    if not second then
      return false
    end
    picker.list:set_target()
    picker:find({ refresh = true })
    return true
  end
  show(task, {
    live = true,
    supports_live = true,
    search = task.query,
    finder = function(_, context)
      local query = context.filter.search
      if second then
        local rows = snacks(second)
        second = nil
        return rows
      end
      -- Runs as a coroutine; snacks shows its spinner until the function returns.
      return function(add)
        local async = context.async
        local rows
        -- Coroutines of snacks run in a fast event, where a request cannot be sent.
        local cancel = async:schedule(function()
          return task.search(query, function(items)
            rows = snacks(items)
            async:resume()
          end, {
            better = function(better)
              return refine(context.picker, better)
            end,
          })
        end)
        async:on('abort', cancel)
        while not rows and not async:aborted() do
          async:suspend()
        end
        for _, row in ipairs(rows or {}) do
          add(row)
        end
      end
    end,
  })
end

function M.list(task)
  show(task, { items = snacks(task.items) })
end

return M
