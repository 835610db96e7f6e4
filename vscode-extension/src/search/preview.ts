import * as vscode from 'vscode';
import { rangeOf, showCell } from '../places';
import type { Hit } from '../protocol';
import { matchedWords, matchRanges } from './matches';

/** The list covers a little less than the upper half of the editors. */
const BELOW_THE_LIST = 0.6;
/** Where the editor is too new to know how many lines it shows. */
const USUAL_LINES = 30;
const MOST_MARKED_LINES = 200;

/**
 * Shows hits in a preview editor while a list keeps the focus, and puts back what was there
 * before. One list uses one preview.
 */
export class Preview implements vscode.Disposable {
  private readonly before = vscode.window.activeTextEditor;
  private readonly selection = this.before?.selection;
  private readonly visible = this.before?.visibleRanges[0];
  private readonly openBefore = new Set(textTabs().map(uriOf));
  private readonly mark = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.findMatchForeground'),
  });
  private readonly match = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor('editor.findMatchHighlightBackground'),
  });
  private newest = 0;
  private current: Hit | undefined;
  private opening: Promise<unknown> = Promise.resolve();

  show(hit: Hit): Promise<void> {
    const opened = this.open(hit);
    this.opening = opened.catch(() => undefined);
    return opened;
  }

  /** Back to the editor, selection and scroll position from before the first preview. */
  async undo(): Promise<void> {
    this.newest += 1;
    if (!this.current) {
      return;
    }
    // One that is still opening would come last, and stay.
    await this.opening;
    if (this.before && !this.hasMovedOn()) {
      // VS Code gives the focus back itself, before anything that the user opens next, and
      // remembers the selection; one that came from here would undo what the user does meanwhile.
      const editor = await vscode.window.showTextDocument(this.before.document, {
        viewColumn: this.before.viewColumn ?? vscode.ViewColumn.Active,
        preserveFocus: true,
      });
      if (this.visible && this.selection?.isEqual(editor.selection)) {
        editor.revealRange(this.visible, vscode.TextEditorRevealType.AtTop);
      }
    }
    const uri = vscode.Uri.parse(this.current.uri).toString();
    const previewed = textTabs().filter((tab) => tab.isPreview && uriOf(tab) === uri);
    if (!this.openBefore.has(uri)) {
      await vscode.window.tabGroups.close(previewed, true);
    }
  }

  dispose(): void {
    this.newest += 1;
    this.mark.dispose();
    this.match.dispose();
  }

  /** Another document is active than that before and the one shown: the user has gone on. */
  private hasMovedOn(): boolean {
    const active = vscode.window.activeTextEditor?.document;
    const current = this.current && vscode.Uri.parse(this.current.uri).toString();
    const before = this.before?.document.uri.toString();
    return !this.current?.cell && ![undefined, before, current].includes(active?.uri.toString());
  }

  private async open(hit: Hit): Promise<void> {
    const request = ++this.newest;
    this.current = hit;
    if (hit.cell) {
      await showCell(hit.uri, hit.cell.number, { preview: true, preserveFocus: true });
      return;
    }
    const editor = await openPreview(vscode.Uri.parse(hit.uri));
    if (!editor || request !== this.newest) {
      return;
    }
    editor.setDecorations(this.mark, [rangeOf(hit.range)]);
    editor.setDecorations(this.match, matchesIn(editor.document, hit));
    const top = Math.max(0, nameLine(hit) - Math.round(linesShown(editor) * BELOW_THE_LIST));
    editor.revealRange(new vscode.Range(top, 0, top, 0), vscode.TextEditorRevealType.AtTop);
  }
}

/**
 * Not by `showTextDocument`: the document would stay open for minutes after its tab is closed, and
 * what is open counts more than the disk, where the file may be renamed or deleted meanwhile.
 */
async function openPreview(uri: vscode.Uri): Promise<vscode.TextEditor | undefined> {
  await vscode.commands.executeCommand('vscode.open', uri, { preview: true, preserveFocus: true });
  return vscode.window.visibleTextEditors.find(
    ({ document }) => document.uri.toString() === uri.toString(),
  );
}

function nameLine(hit: Hit): number {
  return hit.selectionRange.start.line;
}

function linesShown(editor: vscode.TextEditor): number {
  const [visible] = editor.visibleRanges;
  return Math.max(USUAL_LINES, visible ? visible.end.line - visible.start.line + 1 : 0);
}

function matchesIn(document: vscode.TextDocument, hit: Hit): vscode.Range[] {
  const words = matchedWords(hit);
  const { start, end } = hit.range;
  const stop = Math.min(end.line + 1, start.line + MOST_MARKED_LINES, document.lineCount);
  const ranges: vscode.Range[] = [];
  for (let line = start.line; line < stop; line += 1) {
    for (const [from, to] of matchRanges(document.lineAt(line).text, words)) {
      ranges.push(new vscode.Range(line, from, line, to));
    }
  }
  return ranges;
}

function textTabs(): vscode.Tab[] {
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter(
      ({ input }) =>
        input instanceof vscode.TabInputText || input instanceof vscode.TabInputNotebook,
    );
}

function uriOf(tab: vscode.Tab): string {
  return (tab.input as vscode.TabInputText | vscode.TabInputNotebook).uri.toString();
}
