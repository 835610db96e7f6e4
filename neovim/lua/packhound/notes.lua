-- Notes: written on the definition at the cursor, listed, shown with what changed, forgotten.
local client = require('packhound.client')
local hits = require('packhound.hits')

local M = {}

local FIELDS = {
  insight = {
    { 'content', 'What should others know of this code? ' },
    { 'key', 'A short name to recall it by (may be empty): ', optional = true },
  },
  decision = {
    { 'topic', 'What is it about? ' },
    { 'decision', 'What was decided? ' },
    { 'reasoning', 'Why (may be empty)? ', optional = true },
  },
  stash = {
    { 'name', 'A short name for the work: ' },
    { 'summary', 'What is done, and what is next? ' },
  },
}

local MEANINGS = {
  [''] = 'as it was when the note was written',
  stale = 'stale: it has changed since the note was written',
  ['moved?'] = 'moved? It is not where it was; this is the most similar code there is now',
  orphaned = 'orphaned: nothing like it is left',
}

-- JSON's null is a value of its own.
local function text(value)
  return type(value) == 'string' and value ~= '' and value or nil
end

local function body(note)
  local why = text(note.reasoning) and '\n\nBecause: ' .. note.reasoning or ''
  return (text(note.content) or text(note.decision) or text(note.summary) or '') .. why
end

local function title(note)
  return text(note.key) or text(note.topic) or text(note.name) or vim.split(body(note), '\n')[1]
end

local function references(note)
  local words = vim.tbl_map(function(code)
    return code.state == '' and code.ref or ('%s [%s]'):format(code.ref, code.state)
  end, note.code)
  return table.concat(words, ', ')
end

--- A note as a document: what it says, and what became of its code.
---@return string[]
function M.page(note)
  local lines = { '# ' .. title(note), '', ('%s by %s, %s'):format(note.type, note.author, note.date), '' }
  local function add(added)
    vim.list_extend(lines, vim.split(added, '\n', { plain = true }))
  end
  add(body(note))
  for _, code in ipairs(note.code) do
    local range = code.start_line > 0 and (', %s:%d-%d'):format(code.path, code.start_line, code.end_line) or ''
    add(('\n## `%s`\n\nIs %s%s.'):format(code.ref, MEANINGS[code.state] or code.state, range))
    if text(code.diff) then
      add('\n```diff\n' .. vim.trim(code.diff) .. '\n```')
    end
  end
  add('\n`<CR>` opens the code, `D` forgets the note.')
  return lines
end

local function open_code(note)
  for _, code in ipairs(note.code) do
    if code.start_line > 0 then
      hits.go_to(vim.fs.joinpath(note.root, code.path), code.start_line, 1)
      return
    end
  end
  vim.notify('Packhound: the note has no code, or none that is left.')
end

local function forget(note)
  vim.ui.select({ 'Keep it', 'Forget it' }, { prompt = ('Forget the note "%s"?'):format(title(note)) }, function(_, choice)
    if choice == 2 then
      client.ask('packhound/memory/forget', { id = note.id }, function()
        vim.notify('Packhound: the note is forgotten.')
      end)
    end
  end)
end

--- The keys of the buffer that shows a note.
function M.map_keys(bufnr, note)
  if note.id and vim.api.nvim_buf_is_valid(bufnr) then
    for key, run in pairs({ ['<CR>'] = open_code, D = forget }) do
      vim.keymap.set('n', key, function()
        run(note)
      end, { buffer = bufnr })
    end
  end
end

local function ask_fields(note, fields, done)
  local field = fields[1]
  if not field then
    done(note)
    return
  end
  vim.ui.input({ prompt = field[2] }, function(typed)
    if typed and (field.optional or vim.trim(typed) ~= '') then
      local more = vim.trim(typed) ~= '' and { [field[1]] = typed } or {}
      ask_fields(vim.tbl_extend('force', note, more), vim.list_slice(fields, 2), done)
    end
  end)
end

--- Writes a note on the definition at the cursor; asks for what `words` does not say.
---@param words string the type, and for an insight its text: `insight keep the jitter`
function M.add(words)
  local kind, rest = words:match('^(%a+)%s*(.*)$')
  if not FIELDS[kind] then
    kind, rest = 'insight', words
  end
  local cursor, fields = client.cursor(), FIELDS[kind]
  local note = { type = kind }
  if rest ~= '' then
    note[fields[1][1]] = rest
    -- What may be empty is asked for only where the rest is asked for too.
    fields = vim.tbl_filter(function(field)
      return field ~= FIELDS[kind][1] and not field.optional
    end, fields)
  end
  ask_fields(note, fields, function(complete)
    local function params(ready)
      return vim.tbl_extend('error', complete, cursor(ready))
    end
    client.ask('packhound/memory/add', params, function(written)
      vim.notify('Packhound: noted on ' .. references(written))
    end)
  end)
end

--- Lists the notes; the chosen one is shown with what changed in its code.
function M.list()
  client.ask('packhound/memory/list', vim.empty_dict(), function(answer)
    local items = vim.tbl_map(function(note)
      local line = ('%s  %s  %s'):format(title(note), references(note), (body(note):gsub('%s+', ' ')))
      return {
        text = line,
        path = require('packhound.records').name({ kind = 'note', id = note.id, source = 'notes' }),
        lnum = 1,
        end_lnum = 1,
        col = 1,
      }
    end, answer.notes)
    require('packhound.pickers').show('Packhound: notes', items, 'there are no notes yet; :Packhound note writes one.')
  end)
end

return M
