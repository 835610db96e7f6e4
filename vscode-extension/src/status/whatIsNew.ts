import { t } from '@vscode/l10n';
import * as vscode from 'vscode';

const KEY = 'packhound.version';

/** Says once after an update that there is something new; nothing after the first installation. */
export async function sayWhatIsNew(state: vscode.Memento, version: string): Promise<void> {
  const before = state.get<string>(KEY);
  await state.update(KEY, version);
  if (before === undefined || release(before) === release(version)) {
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

/** Major and minor: a fix alone is no news. */
function release(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}
