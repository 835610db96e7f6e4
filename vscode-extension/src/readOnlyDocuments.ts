import * as vscode from 'vscode';

const SCHEME = 'packhound';

/** Documents that this extension writes and nobody can edit; each title holds one text. */
export class ReadOnlyDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changes = new vscode.EventEmitter<vscode.Uri>();
  private readonly registration: vscode.Disposable;
  readonly onDidChange = this.changes.event;

  constructor() {
    this.registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.path) ?? 'This text is gone. Run the command again to make it anew.';
  }

  /** Shows `text` under `title`, in the second column where there is one or room for one. */
  async show(title: string, text: string, language: string): Promise<vscode.TextEditor> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${title}` });
    this.texts.set(uri.path, text);
    this.changes.fire(uri);
    const opened = await vscode.workspace.openTextDocument(uri);
    const document = await vscode.languages.setTextDocumentLanguage(opened, language);
    return vscode.window.showTextDocument(document, {
      viewColumn: roomyColumn(),
      preview: true,
    });
  }

  dispose(): void {
    this.registration.dispose();
    this.changes.dispose();
  }
}

/** A third column would leave none of them wide enough to read. */
function roomyColumn(): vscode.ViewColumn {
  const columns = vscode.window.tabGroups.all.length;
  return columns > 1 ? vscode.ViewColumn.Two : vscode.ViewColumn.Beside;
}
