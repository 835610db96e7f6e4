import * as vscode from 'vscode';
import type { PackhoundClient } from '../server/packhoundClient';
import { onIndexReady } from '../status/indexReady';
import type { Note } from './noteProtocol';
import { allNotes } from './noteRequests';

/** A mark in the gutter at each definition that has a note. */
export class NoteMarks implements vscode.Disposable {
  private readonly mark: vscode.TextEditorDecorationType;
  private readonly subscriptions: vscode.Disposable;
  private notes: Note[] = [];

  constructor(
    private readonly client: PackhoundClient,
    extension: vscode.Uri,
  ) {
    this.mark = vscode.window.createTextEditorDecorationType({
      gutterIconPath: vscode.Uri.joinPath(extension, 'media', 'note.svg'),
      gutterIconSize: '80%',
    });
    this.subscriptions = vscode.Disposable.from(
      this.mark,
      onIndexReady(client, () => void this.refresh()),
      vscode.window.onDidChangeVisibleTextEditors(() => {
        this.draw();
      }),
    );
  }

  /** Asks where the code of the notes is now. */
  async refresh(): Promise<void> {
    this.notes = await allNotes(this.client).catch(() => []);
    this.draw();
    this.countAnew();
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  /** Notes are counted above their definitions too. */
  private countAnew(): void {
    const lenses = this.client.languageClient?.getFeature('textDocument/codeLens');
    for (const { document } of vscode.window.visibleTextEditors) {
      lenses?.getProvider(document)?.onDidChangeCodeLensEmitter.fire();
    }
  }

  private draw(): void {
    const lines = new Map<string, vscode.Range[]>();
    for (const { root, code } of this.notes) {
      for (const { path, start_line } of code.filter(({ start_line }) => start_line > 0)) {
        const uri = vscode.Uri.joinPath(vscode.Uri.file(root), path).toString();
        const range = new vscode.Range(start_line - 1, 0, start_line - 1, 0);
        lines.set(uri, [...(lines.get(uri) ?? []), range]);
      }
    }
    for (const editor of vscode.window.visibleTextEditors) {
      editor.setDecorations(this.mark, lines.get(editor.document.uri.toString()) ?? []);
    }
  }
}
