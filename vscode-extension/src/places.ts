import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Hit, PlaceParams, Range } from './protocol';

export function rangeOf(range: Range): vscode.Range {
  const { start, end } = range;
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

/** Of a file that the server names by its path, and by its folder where it is not the first. */
export function uriOfPath(path: string, root?: string): string {
  const folder = root ? vscode.Uri.file(root) : vscode.workspace.workspaceFolders?.[0]?.uri;
  return folder ? vscode.Uri.joinPath(folder, path).toString() : vscode.Uri.file(path).toString();
}

const picks = new vscode.EventEmitter<Hit>();
/** A result was opened to stay, wherever it was listed; previews do not count. */
export const onDidPick = picks.event;

/** Opens a hit with the cursor at its name, below its comments and decorators; or its cell. */
export async function openHit(
  hit: Hit,
  options: Pick<vscode.TextDocumentShowOptions, 'preserveFocus' | 'viewColumn'> = {},
): Promise<void> {
  picks.fire(hit);
  if (hit.cell) {
    await showCell(hit.uri, hit.cell.number, options);
    return;
  }
  if (hit.unread) {
    // Images and the like have editors of their own.
    await vscode.commands.executeCommand('vscode.open', vscode.Uri.parse(hit.uri), options);
    return;
  }
  const start = rangeOf(hit.selectionRange).start;
  await vscode.window.showTextDocument(vscode.Uri.parse(hit.uri), {
    ...options,
    selection: new vscode.Range(start, start),
  });
}

/** Shows a cell, counted from 1, of the notebook with this URI or with a cell of this URI. */
export async function showCell(
  uri: string,
  cell: number,
  options: Omit<vscode.NotebookDocumentShowOptions, 'selections'>,
): Promise<void> {
  const target = vscode.Uri.parse(uri);
  const isTarget = ({ document }: vscode.NotebookCell) =>
    document.uri.toString() === target.toString();
  const notebook =
    vscode.workspace.notebookDocuments.find((open) => open.getCells().some(isTarget)) ??
    (await vscode.workspace.openNotebookDocument(target));
  const cells = new vscode.NotebookRange(cell - 1, cell);
  const editor = await vscode.window.showNotebookDocument(notebook, {
    ...options,
    selections: [cells],
  });
  editor.revealRange(cells, vscode.NotebookEditorRevealType.InCenterIfOutsideViewport);
}

/** Where the user is, if that is in a file. */
export function focus(
  editor = vscode.window.activeTextEditor,
): Pick<PlaceParams, 'uri' | 'position'> | undefined {
  if (editor?.document.uri.scheme !== 'file') {
    return undefined;
  }
  const { line, character } = editor.selection.active;
  return { uri: editor.document.uri.toString(), position: { line, character } };
}

const MOST_SELECTED = 200;

/**
 * What is at the cursor as a query: the errors that the editor shows there, and what is selected,
 * else the word; nothing where there is none.
 */
export function queryHere(editor = vscode.window.activeTextEditor): string {
  if (!editor) {
    return '';
  }
  const { document, selection } = editor;
  const errors = vscode.languages
    .getDiagnostics(document.uri)
    .filter(({ range, severity }) => isProblem(severity) && range.intersection(selection))
    .map(({ message }) => message);
  const word = document.getWordRangeAtPosition(selection.active);
  const text = selection.isEmpty ? word && document.getText(word) : document.getText(selection);
  const query = [...errors, errors.length > 0 && selection.isEmpty ? '' : text].join(' ');
  return query.replace(/\s+/g, ' ').trim();
}

/** The selected code, else what begins in the cursor's line; an error where there is none. */
export function codeHere(editor = vscode.window.activeTextEditor): string {
  const { document, selection } = editor ?? {};
  const lines = document?.getText().split(/\r?\n/).slice(selection?.active.line) ?? [];
  const code = selection?.isEmpty === false ? document?.getText(selection) : statement(lines);
  if (!code?.trim()) {
    throw new Error(t('Select an expression, a statement or a definition.'));
  }
  return code;
}

const MOST_LINES = 40;

/** The first line, with those after it as far as its brackets go. */
function statement(lines: readonly string[]): string {
  let depth = 0;
  for (const [i, line] of lines.slice(0, MOST_LINES).entries()) {
    for (const [bracket] of line.matchAll(/[()[\]{}]/g)) {
      depth += '([{'.includes(bracket) ? 1 : -1;
    }
    if (depth <= 0) {
      return lines.slice(0, i + 1).join('\n');
    }
  }
  return lines[0] ?? '';
}

function isProblem(severity: vscode.DiagnosticSeverity): boolean {
  return severity <= vscode.DiagnosticSeverity.Warning;
}

/** What is selected in the active editor, if that is a query and not a passage. */
export function selectedText(editor = vscode.window.activeTextEditor): string {
  const text = editor?.selection.isSingleLine ? editor.document.getText(editor.selection) : '';
  return text.length <= MOST_SELECTED ? text.trim() : '';
}
