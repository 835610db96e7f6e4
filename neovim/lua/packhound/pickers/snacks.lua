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
  local found = {}
  for idx, item in ipairs(items) do
    found[idx] = snack(item, idx)
  end
  return found
end

local function show(task, more)
  require('snacks').picker.pick(vim.tbl_extend('force', {
    title = task.title,
    format = function(found)
      return { { found.text } }
    end,
    preview = 'file',
    matcher = { sort_empty = false, fuzzy = false },
    sort = { fields = { 'idx' } },
    confirm = function(picker, found)
      picker:close()
      if found then
        task.open(found.item)
      end
    end,
  }, more))
end

function M.live(task)
  show(task, {
    live = true,
    supports_live = true,
    search = task.query,
    finder = function(_, context)
      return snacks(task.items(context.filter.search))
    end,
  })
end

function M.list(task)
  show(task, { items = snacks(task.items) })
end

return M
