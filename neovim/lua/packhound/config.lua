-- What a user can set, and where the server's program comes from.
local M = {}

M.values = {
  --- The program and its arguments; nil: `packhound lsp` from the PATH, else `uvx packhound lsp`.
  ---@type string[]?
  cmd = nil,
  --- What marks the folder that is indexed, looked for from the file upwards.
  root_markers = { '.git', '.hg', '.jj', 'pyproject.toml', 'package.json', 'Cargo.toml', 'go.mod' },
  --- The server's settings, for example { search = { limit = 20 }, index = { exclude = { 'vendor/**' } } }.
  settings = vim.empty_dict(),
  --- 'telescope', 'fzf-lua', 'snacks', 'mini.pick' or 'select'; nil: the first that is installed.
  ---@type string?
  picker = nil,
  --- Tokens that a context pack may have unless the command says otherwise.
  budget = 8000,
  --- What runs test files: a command to which their paths are added, or a function of the paths and
  --- the project's folder; nil: neotest, else vim-test.
  ---@type string[]|fun(paths: string[], root: string)|nil
  test = nil,
}

local PICKERS = { 'telescope', 'fzf-lua', 'snacks', 'mini.pick', 'select' }

local function is_list(value)
  return vim.islist(value) and value[1] ~= nil
end

--- What each option must be: a test of its value, and that in words.
local OPTIONS = {
  budget = {
    function(value)
      return type(value) == 'number' and value > 0 and value % 1 == 0
    end,
    'a whole number of tokens, such as 8000',
  },
  cmd = { is_list, "a list, such as { 'packhound', 'lsp' }" },
  picker = {
    function(value)
      return vim.tbl_contains(PICKERS, value)
    end,
    'one of: ' .. table.concat(PICKERS, ', '),
  },
  root_markers = { is_list, "a list, such as { '.git' }" },
  settings = {
    function(value)
      return type(value) == 'table'
    end,
    'a table, such as { search = { limit = 20 } }',
  },
  test = {
    function(value)
      return type(value) == 'function' or is_list(value)
    end,
    "a command, such as { 'pytest' }, or a function",
  },
}

---@return string[]
function M.names()
  local names = vim.tbl_keys(OPTIONS)
  table.sort(names)
  return names
end

---@param options table?
function M.set(options)
  options = options or {}
  for key, value in pairs(options) do
    if not OPTIONS[key] then
      local names = table.concat(M.names(), ', ')
      error(("packhound.setup: '%s' is not an option; expected one of: %s"):format(key, names), 0)
    end
    local is_legal, expected = unpack(OPTIONS[key])
    if not is_legal(value) then
      error(('packhound.setup: %s is %s; expected %s'):format(key, vim.inspect(value), expected), 0)
    end
  end
  M.values = vim.tbl_extend('force', M.values, options)
  if vim.tbl_isempty(M.values.settings) then
    M.values.settings = vim.empty_dict()
  end
end

--- The command that starts the server, or nil where there is none.
---@return string[]?
function M.command()
  if M.values.cmd then
    return M.values.cmd
  end
  if vim.fn.executable('packhound') == 1 then
    return { 'packhound', 'lsp' }
  end
  if vim.fn.executable('uvx') == 1 then
    return { 'uvx', 'packhound', 'lsp' }
  end
  return nil
end

M.not_found = 'the server was not found; :checkhealth packhound says what to do.'

--- The folder that a buffer belongs to.
---@param bufnr integer
---@return string
function M.root(bufnr)
  return vim.fs.root(bufnr, M.values.root_markers) or vim.uv.cwd()
end

return M
