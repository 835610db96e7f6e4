import * as vscode from 'vscode';
import type { Results } from './results';

/** Lets the user choose what the side bar shows from what it has shown or was offered. */
export async function showHistory(results: Results): Promise<void> {
  const items = results.history.map((kept) => ({
    label: kept.title,
    description: `${kept.results.hits.length} results`,
    kept,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: 'Packhound: Earlier Results',
    placeHolder: items.length > 0 ? 'What shall the side bar show?' : 'Nothing was kept yet',
  });
  if (chosen) {
    results.keep(chosen.kept);
    await vscode.commands.executeCommand('packhound.results.focus');
  }
}
