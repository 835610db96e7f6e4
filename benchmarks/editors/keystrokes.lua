-- Runs inside a Neovim with a terminal: JOB names a JSON file with {root, cmd, picker, queries, report}.
-- Types the queries into the live picker key by key, and writes for each key the milliseconds until
-- the screen is redrawn with the rows that it led to.
local job = vim.json.decode(table.concat(vim.fn.readfile(vim.env.JOB), '\n'))
local PAUSE_MS = 50
local INDEXED_MS = 900000

vim.cmd.cd(job.root)
vim.cmd.edit(job.file)
require('packhound').setup({ cmd = job.cmd, picker = job.picker })
if job.picker == 'mini.pick' then
  require('mini.pick').setup()
end
require('packhound.client').request('packhound/status', { wait = true }, INDEXED_MS)

local samples, keys = {}, {}
local warm = #vim.fn.split(job.queries[1], [[\zs]])
for _, query in ipairs(job.queries) do
  vim.list_extend(keys, vim.fn.split(query, [[\zs]]))
  table.insert(keys, '<C-u>')
end

local key_at, at = 0, 0
local function finish()
  vim.fn.writefile({ vim.json.encode({ search = vim.list_slice(samples, warm + 1) }) }, job.report)
  os.exit(0)
end

local timer = vim.uv.new_timer()
local function next_key()
  at = at + 1
  if not keys[at] then
    finish()
  end
  key_at = vim.uv.hrtime()
  vim.api.nvim_input(keys[at])
  if keys[at] == '<C-u>' then
    timer:start(4 * PAUSE_MS, 0, vim.schedule_wrap(next_key))
  end
end

local pickers = require('packhound.pickers')
local asker = pickers.asker
pickers.asker = function(question)
  local search = asker(question)
  return function(query, done, later)
    return search(query, function(items)
      done(items)
      vim.schedule(function()
        vim.cmd.redraw()
        if query ~= '' and #items > 0 then
          table.insert(samples, math.floor((vim.uv.hrtime() - key_at) / 1e5 + 0.5) / 10)
          timer:start(PAUSE_MS, 0, vim.schedule_wrap(next_key))
        end
      end)
    end, later)
  end
end

timer:start(2000, 0, vim.schedule_wrap(next_key))
vim.cmd('Packhound search')
