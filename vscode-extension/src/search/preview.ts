import * as vscode from 'vscode';
import { rangeOf } from '../places';
import type { Hit } from '../protocol';
import { Marking } from './marking';
import { marksOf, matchRanges } from './matches';
import { notebookCell } from './notebookCell';

const SCHEME = 'packhound-preview';
/** The list covers a little less than the upper half of the editors. */
const BELOW_THE_LIST = 0.6;
/** Above the name where no list covers the editor. */
const LINES_ABOVE = 4;
/** Where the editor is too new to know how many lines it shows. */
const USUAL_LINES = 30;
const MOST_MARKED_LINES = 200;
const OPENING_MS = 2000;
const TWO_ROWS = { orientation: 1, groups: [{}, {}] };

interface Source {
  text: string;
  language?: string;
}

/**
 * Shows hits while a list keeps the focus, in documents that nobody can edit and that only this
 * extension knows, and never in the place of the user's own editor. That one keeps its text,
 * cursor and scroll position, so VS Code gives it the focus back the moment the list is gone.
 */
export class Previews implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly mark = new Marking('editor.rangeHighlight', {
    isWholeLine: true,
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.findMatchForeground'),
  });
  private readonly match = new Marking('editor.findMatchHighlight');
  private readonly changes = new vscode.EventEmitter<vscode.Uri>();
  private readonly registration = vscode.Disposable.from(
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
    vscode.window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
      this.isVisited ||=
        isPreviewed(textEditor) && kind === vscode.TextEditorSelectionChangeKind.Mouse;
    }),
  );
  readonly onDidChange = this.changes.event;
  private uri: vscode.Uri | undefined;
  private text = '';
  private newest = 0;
  /** Resolves when no preview is on its way any more. */
  private settled: Promise<unknown> = Promise.resolve();
  private endedAt = 0;
  /** A row below the user's only group of editors was made for the previews. */
  private hasRow = false;
  /** The user has clicked into a preview, and the focus is there. */
  private isVisited = false;
  private home: vscode.TextEditor | undefined;

  constructor() {
    // A window that was closed with a preview has it again when it opens.
    void this.close();
  }

  /**
   * The editor that the user is in. A row of previews counts as active to VS Code, and while it is
   * closed none may be.
   */
  get userEditor(): vscode.TextEditor | undefined {
    const { activeTextEditor: active, visibleTextEditors: visible } = vscode.window;
    if (active) {
      return isPreviewed(active) ? this.home : active;
    }
    return this.home && visible.includes(this.home) ? this.home : undefined;
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return uri.toString() === this.uri?.toString() ? this.text : '';
  }

  async show(hit: Hit): Promise<void> {
    const shown = this.showNewest(hit);
    this.settled = Promise.allSettled([this.settled, shown]);
    await shown;
  }

  private async showNewest(hit: Hit): Promise<void> {
    const request = ++this.newest;
    this.home = this.userEditor;
    const source = hit.unread ? undefined : await sourceOf(hit).catch(() => undefined);
    if (!source || request !== this.newest) {
      return;
    }
    try {
      await this.open(hit, source, () => request === this.newest);
    } finally {
      // What was on its way when the list went away has arrived after it.
      if (this.newest === this.endedAt) {
        await this.close();
      }
    }
  }

  /** Closes all previews, also what is still opening, when it has. */
  async end(): Promise<void> {
    this.endedAt = ++this.newest;
    await this.close();
    await this.settled;
  }

  dispose(): void {
    void this.end();
    this.registration.dispose();
    this.changes.dispose();
    this.mark.dispose();
    this.match.dispose();
  }

  private async open(hit: Hit, source: Source, isNewest: () => boolean): Promise<void> {
    const uri = previewUri(hit);
    const viewColumn = await this.column();
    if (!isNewest()) {
      return;
    }
    this.uri = uri;
    this.text = source.text;
    this.changes.fire(uri);
    // In a group of the user's own a preview tab would take the place of the user's.
    const preview = this.hasRow || vscode.window.tabGroups.all.length === 1;
    const options = { viewColumn, preview, preserveFocus: true };
    await vscode.commands.executeCommand('vscode.open', uri, options);
    const editor = await editorOf(uri);
    if (!isNewest() || !editor) {
      return;
    }
    await vscode.window.tabGroups.close(
      previewTabs().filter((tab) => uriOf(tab) !== uri.toString()),
      true,
    );
    this.highlight(editor, hit);
    if (source.language && source.language !== editor.document.languageId) {
      await setLanguage(editor.document, source.language);
    }
  }

  private highlight(editor: vscode.TextEditor, hit: Hit): void {
    const { document } = editor;
    const cellAlone = hit.cell && !isOpen(vscode.Uri.parse(hit.uri));
    // The server has not read a closed notebook as cells: its ranges are those of the file.
    const line = cellAlone ? (hit.cell?.line ?? 1) - 1 : hit.selectionRange.start.line;
    const range = cellAlone ? new vscode.Range(line, 0, line, 0) : rangeOf(hit.range);
    this.mark.draw(editor, [range]);
    this.match.draw(editor, matchesIn(document, range, marksOf(hit)));
    const above = this.hasRow ? LINES_ABOVE : Math.round(linesShown(editor) * BELOW_THE_LIST);
    const top = Math.max(0, line - above);
    editor.revealRange(new vscode.Range(top, 0, top, 0), vscode.TextEditorRevealType.AtTop);
  }

  /**
   * Where previews go: into a row of their own below a single group, else beside the active one.
   * Groups and focus of the user stay as they are.
   */
  private async column(): Promise<vscode.ViewColumn> {
    const { all, activeTabGroup } = vscode.window.tabGroups;
    if (all.length === 1 && activeTabGroup.tabs.every(isPreview)) {
      return activeTabGroup.viewColumn;
    }
    if (this.hasRow) {
      return vscode.ViewColumn.Two;
    }
    if (all.length > 1) {
      // The only place that VS Code opens an editor in without making its group the active one.
      return vscode.ViewColumn.Beside;
    }
    await vscode.commands.executeCommand('vscode.setEditorLayout', TWO_ROWS);
    this.hasRow = true;
    return vscode.ViewColumn.Two;
  }

  private async close(): Promise<void> {
    const previews = previewTabs();
    const isAlone = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).every(isPreview);
    if (previews.length > 0) {
      // The focus stays where it is: it may be in a box that this process does not know of yet.
      // It is given back only where closing loses it.
      await vscode.window.tabGroups.close(previews, !isAlone && !this.isVisited);
    }
    this.isVisited = false;
    if (this.hasRow) {
      this.hasRow = false;
      const { all } = vscode.window.tabGroups;
      const empty = all.filter(({ tabs }) => tabs.length === 0);
      if (all.length === 2 && empty.length === 1) {
        await vscode.window.tabGroups.close(empty, true);
      }
    }
  }
}

/** The text as the user has it: that of the open document, else that of the disk. */
async function sourceOf(hit: Hit): Promise<Source | undefined> {
  const uri = vscode.Uri.parse(hit.uri);
  const open = isOpen(uri);
  if (open) {
    return { text: open.getText(), language: open.languageId };
  }
  if (uri.scheme !== 'file') {
    // A document that this extension writes, as of a note.
    return { text: (await vscode.workspace.openTextDocument(uri)).getText() };
  }
  // Not `openTextDocument`: the document would stay open for minutes, be one that the user has
  // open to the server, and count more than the disk, where the file may be renamed meanwhile.
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  return hit.cell ? notebookCell(text, hit.cell.number) : { text };
}

function isOpen(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find(
    (document) => document.uri.toString() === uri.toString(),
  );
}

/** With the path of what is shown, which gives title and language; one per cell. */
function previewUri({ uri, cell }: Hit): vscode.Uri {
  const source = vscode.Uri.parse(uri);
  return source.with({ scheme: SCHEME, query: cell ? `cell ${cell.number}` : '', fragment: '' });
}

/** The editor of a document that was opened; VS Code may tell of it a little later. */
async function editorOf(uri: vscode.Uri): Promise<vscode.TextEditor | undefined> {
  const find = (): vscode.TextEditor | undefined =>
    vscode.window.visibleTextEditors.find(
      ({ document }) => document.uri.toString() === uri.toString(),
    );
  const found = find();
  if (found) {
    return found;
  }
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timeout);
      subscription.dispose();
      resolve(find());
    };
    const timeout = setTimeout(finish, OPENING_MS);
    const subscription = vscode.window.onDidChangeVisibleTextEditors(() => {
      if (find()) {
        finish();
      }
    });
  });
}

/** A language that is not installed leaves the text plain. */
async function setLanguage(document: vscode.TextDocument, language: string): Promise<void> {
  if ((await vscode.languages.getLanguages()).includes(language)) {
    await vscode.languages.setTextDocumentLanguage(document, language);
  }
}

function linesShown(editor: vscode.TextEditor): number {
  const [visible] = editor.visibleRanges;
  return Math.max(USUAL_LINES, visible ? visible.end.line - visible.start.line + 1 : 0);
}

function matchesIn(
  document: vscode.TextDocument,
  { start, end }: vscode.Range,
  pattern: RegExp | undefined,
): vscode.Range[] {
  const stop = Math.min(end.line + 1, start.line + MOST_MARKED_LINES, document.lineCount);
  const ranges: vscode.Range[] = [];
  for (let line = start.line; line < stop; line += 1) {
    for (const [from, to] of matchRanges(document.lineAt(line).text, pattern)) {
      ranges.push(new vscode.Range(line, from, line, to));
    }
  }
  return ranges;
}

function previewTabs(): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.filter(isPreview));
}

function isPreview({ input }: vscode.Tab): boolean {
  return input instanceof vscode.TabInputText && input.uri.scheme === SCHEME;
}

function isPreviewed({ document }: vscode.TextEditor): boolean {
  return document.uri.scheme === SCHEME;
}

function uriOf({ input }: vscode.Tab): string {
  return (input as vscode.TabInputText).uri.toString();
}
