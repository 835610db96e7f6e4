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
}

local pickers = { 'telescope', 'fzf-lua', 'snacks', 'mini.pick', 'select' }

---@param options table?
function M.set(options)
  options = options or {}
  for key, value in pairs(options) do
    if M.values[key] == nil and key ~= 'cmd' and key ~= 'picker' then
      error(("packhound.setup: '%s' is not an option; expected one of: budget, cmd, picker, root_markers, settings"):format(key), 0)
    end
    if key == 'picker' and not vim.tbl_contains(pickers, value) then
      error(("packhound.setup: picker is '%s'; expected one of: %s"):format(value, table.concat(pickers, ', ')), 0)
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

M.not_found = 'The Packhound server was not found. Install it with "pip install packhound", '
  .. 'or pass setup({ cmd = { "/path/to/packhound", "lsp" } }).'

--- The folder that a buffer belongs to.
---@param bufnr integer
---@return string
function M.root(bufnr)
  return vim.fs.root(bufnr, M.values.root_markers) or vim.uv.cwd()
end

return M
