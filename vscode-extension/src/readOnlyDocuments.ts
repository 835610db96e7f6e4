import { t } from '@vscode/l10n';
import * as vscode from 'vscode';

const SCHEME = 'packhound';

type Text = string | (() => Promise<string>);

/** Documents that this extension writes and nobody can edit; each title holds one text. */
export class ReadOnlyDocuments
  implements vscode.TextDocumentContentProvider, vscode.FoldingRangeProvider, vscode.Disposable
{
  private readonly texts = new Map<string, Text>();
  private readonly changes = new vscode.EventEmitter<vscode.Uri>();
  private readonly registration: vscode.Disposable;
  readonly onDidChange = this.changes.event;

  constructor() {
    this.registration = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.languages.registerFoldingRangeProvider({ scheme: SCHEME }, this),
      // What a text tells of may have changed since it was last looked at.
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        if (editor && typeof this.texts.get(keyOf(editor.document.uri)) === 'function') {
          this.changes.fire(editor.document.uri);
        }
      }),
    );
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const text = this.texts.get(keyOf(uri));
    return (
      (typeof text === 'function' ? await text() : text) ??
      t('This text is gone. Run the command again to make it anew.')
    );
  }

  provideFoldingRanges(document: vscode.TextDocument): vscode.FoldingRange[] {
    return parts(document.getText());
  }

  /** The address of a text, which is made when somebody looks, and anew each time. */
  offer(title: string, text: Text, query = ''): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${title}`, query });
    this.texts.set(keyOf(uri), text);
    this.changes.fire(uri);
    return uri;
  }

  /** Shows `text` under `title` in the active column. */
  async show(title: string, text: Text, language: string): Promise<vscode.TextEditor> {
    const uri = this.offer(title, text);
    const opened = await vscode.workspace.openTextDocument(uri);
    const document = await vscode.languages.setTextDocumentLanguage(opened, language);
    return vscode.window.showTextDocument(document, { preview: true });
  }

  dispose(): void {
    this.registration.dispose();
    this.changes.dispose();
  }
}

function keyOf({ path, query }: vscode.Uri): string {
  return `${path}?${query}`;
}

/**
 * The parts of a text that have lines below their heading of the second level, without the empty
 * lines at their ends: a range that reaches beyond the one around it is dropped by the editor.
 */
export function parts(text: string): vscode.FoldingRange[] {
  const lines = text.trimEnd().split('\n');
  const starts = lines.flatMap((line, at) => (line.startsWith('## ') ? [at] : []));
  return starts.flatMap((start, at) => {
    const next = starts[at + 1] ?? lines.length;
    const length = lines.slice(start, next).join('\n').trimEnd().split('\n').length;
    return length > 1 ? [new vscode.FoldingRange(start, start + length - 1)] : [];
  });
}
