import * as vscode from 'vscode';

/** Marks text with a colour of the theme: with its border in high contrast, else its background. */
export class Marking implements vscode.Disposable {
  private made: { kind: vscode.ColorThemeKind; type: vscode.TextEditorDecorationType } | undefined;

  constructor(
    /** Such as `editor.findMatchHighlight`. */
    private readonly color: string,
    private readonly more: vscode.DecorationRenderOptions = {},
  ) {}

  draw(editor: vscode.TextEditor, ranges: readonly vscode.Range[]): void {
    const { kind } = vscode.window.activeColorTheme;
    if (this.made?.kind !== kind) {
      this.dispose();
      this.made = { kind, type: this.make(kind) };
    }
    editor.setDecorations(this.made.type, ranges);
  }

  dispose(): void {
    this.made?.type.dispose();
  }

  private make(kind: vscode.ColorThemeKind): vscode.TextEditorDecorationType {
    const { HighContrast, HighContrastLight } = vscode.ColorThemeKind;
    const color = (part: string): vscode.ThemeColor => new vscode.ThemeColor(this.color + part);
    return vscode.window.createTextEditorDecorationType({
      ...this.more,
      ...(kind === HighContrast || kind === HighContrastLight
        ? { border: '1px solid', borderColor: color('Border') }
        : { backgroundColor: color('Background') }),
    });
  }
}
