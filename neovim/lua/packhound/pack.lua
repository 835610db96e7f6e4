-- Context packs: the request, and the buffer that shows one.
local client = require('packhound.client')
local config = require('packhound.config')

local M = {}

--- `budget=4000 conversation=retry mend the retry` as 4000, `retry` and `mend the retry`.
---@param text string
---@return string prompt, integer budget, string? conversation
function M.read(text)
  local option, value, rest = text:match('^(%l+)=(%S+)%s*(.*)$')
  if option == 'conversation' then
    local prompt, budget = M.read(rest)
    return prompt, budget, value
  end
  if option ~= 'budget' then
    return text, config.values.budget
  end
  local amount = value
  local number, thousands = amount:lower():match('^(%d+)(k?)$')
  if not number or tonumber(number) == 0 then
    error(("The budget is '%s'; write a whole number of tokens, for example budget=8000 or budget=8k."):format(amount), 0)
  end
  local prompt, _, conversation = M.read(rest)
  return prompt, tonumber(number) * (thousands == 'k' and 1000 or 1), conversation
end

-- JSON's null is a value of its own.
local function number(value)
  return type(value) == 'number' and value or nil
end

--- What a pack costs, and what all packs of the session came to.
---@return string[]
function M.price_lines(pack)
  local lines = {}
  if type(pack.cost) == 'table' then
    table.insert(lines, ('%.4f USD for %s'):format(pack.cost.usd, pack.cost.model))
  end
  local total = pack.total
  if type(total) == 'table' and total.packs > 1 then
    local usd = number(total.usd)
    local price = usd and (', %.4f USD'):format(usd) or ''
    table.insert(lines, ('This session: %d packs, %d tokens%s'):format(total.packs, total.tokens, price))
  end
  return lines
end

---@return string[]
function M.lines(pack, prompt)
  local asked, more = prompt:match('^([^\n]*)\n?(.*)$')
  local lines = { '# ' .. asked }
  local function add(...)
    for _, text in ipairs({ ... }) do
      vim.list_extend(lines, vim.split(text, '\n', { plain = true }))
    end
  end
  if more ~= '' then
    add('> ' .. more:gsub('\n', '\n> '))
  end
  add('', ('%d of %d tokens'):format(pack.tokens, pack.budget), '')
  for _, line in ipairs(M.price_lines(pack)) do
    add(line, '')
  end
  local counter = {}
  for _, note in ipairs(pack.notes) do
    if vim.startswith(note, 'tokens: ') then
      table.insert(counter, note)
    else
      add('- ' .. note)
    end
  end
  add('', pack.text, '', ('## In the pack: %d'):format(#pack.items), '')
  for _, item in ipairs(pack.items) do
    add(('- `%s:%d-%d` %s, %d tokens: %s'):format(item.path, item.start_line, item.end_line, item.detail, item.tokens, item.reason))
  end
  add('', ('## Left out: %d'):format(#pack.omitted), '')
  for _, left in ipairs(pack.omitted) do
    add(('- `%s %s`: %s'):format(left.path, left.name, left.reason))
  end
  add('', unpack(counter))
  return lines
end

local function show(pack, prompt)
  vim.cmd('botright new')
  local bufnr = vim.api.nvim_get_current_buf()
  vim.bo[bufnr].buftype, vim.bo[bufnr].bufhidden, vim.bo[bufnr].swapfile = 'nofile', 'wipe', false
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, M.lines(pack, prompt))
  vim.bo[bufnr].modifiable, vim.bo[bufnr].filetype = false, 'markdown'
  vim.b[bufnr].packhound_pack = pack.text
  vim.keymap.set('n', 'gy', function()
    vim.fn.setreg(vim.fn.has('clipboard') == 1 and '+' or '"', pack.text)
    vim.notify(('Packhound: context pack copied, %d tokens'):format(pack.tokens))
  end, { buffer = bufnr, desc = 'Copy the context pack' })
end

--- Shows the pack for a prompt, or the map of the folder without one, in a read-only buffer once the server has made it; `gy` copies it.
function M.open(prompt, budget, conversation)
  local cursor = vim.api.nvim_buf_get_name(0) ~= '' and client.cursor() or nil
  local function params(ready)
    return { prompt = prompt, map = not prompt or nil, budget = budget, conversation = conversation, focus = cursor and cursor(ready) }
  end
  client.ask('packhound/pack', params, function(pack)
    show(pack, prompt or 'The most used definitions, by file')
  end)
end

return M
