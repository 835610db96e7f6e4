import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { isNews } from './news';

/** Says once after an update to another minor version that there is something new. */
export async function sayWhatIsNew(state: vscode.Memento, version: string): Promise<void> {
  if (!(await isNews(state, version))) {
    return;
  }
  const show = t('What Is New');
  const said = t('Packhound was updated to {0}.', version);
  if ((await vscode.window.showInformationMessage(said, show)) === show) {
    await vscode.commands.executeCommand('packhound.whatIsNew');
  }
}

/** Shows what has changed in each release. */
export async function showWhatIsNew(extension: vscode.Uri): Promise<void> {
  const page = vscode.Uri.joinPath(extension, 'CHANGELOG.md');
  await vscode.commands.executeCommand('markdown.showPreview', page);
}
