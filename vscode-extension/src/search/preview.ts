import * as vscode from 'vscode';
import { rangeOf } from '../places';
import type { Hit } from '../protocol';

/**
 * Shows hits in a preview editor while a list keeps the focus, and puts back what was there
 * before. One list uses one preview.
 */
export class Preview implements vscode.Disposable {
  private readonly before = vscode.window.activeTextEditor;
  private readonly selection = this.before?.selection;
  private readonly visible = this.before?.visibleRanges[0];
  private readonly mark = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.findMatchForeground'),
  });
  private newest = 0;
  private shown = false;

  async show(hit: Hit): Promise<void> {
    const mine = ++this.newest;
    this.shown = true;
    const editor = await vscode.window.showTextDocument(vscode.Uri.parse(hit.uri), {
      preview: true,
      preserveFocus: true,
    });
    if (mine !== this.newest) {
      return;
    }
    const range = rangeOf(hit.range);
    editor.setDecorations(this.mark, [range]);
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  /** Back to the editor, selection and scroll position from before the first preview. */
  async undo(): Promise<void> {
    this.newest += 1;
    if (!this.shown || !this.before || !this.selection) {
      return;
    }
    const editor = await vscode.window.showTextDocument(this.before.document, {
      viewColumn: this.before.viewColumn ?? vscode.ViewColumn.Active,
      selection: this.selection,
    });
    if (this.visible) {
      editor.revealRange(this.visible, vscode.TextEditorRevealType.AtTop);
    }
  }

  dispose(): void {
    this.newest += 1;
    this.mark.dispose();
  }
}
