import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { PackhoundClient } from '../server/packhoundClient';
import { namedSetting } from './namedSetting';

const OPEN = t('Open Setting');

/** Shows the new notes of the server that name a setting in one message, with a way to it. */
export function showSettingsProblems(client: PackhoundClient): vscode.Disposable {
  let known = new Set<string>();
  return client.onDidChangeState((state) => {
    if (state.kind !== 'running' || !state.index) {
      return;
    }
    const problems = (state.index.notes ?? []).filter(namedSetting);
    const fresh = problems.filter((each) => !known.has(each));
    if (fresh.length > 0) {
      void show(fresh);
    }
    known = new Set(problems);
  });
}

async function show(problems: readonly string[]): Promise<void> {
  const text = problems.join(' · ');
  const choice = await vscode.window.showWarningMessage(`Packhound: ${text}`, OPEN);
  if (choice === OPEN) {
    const names = problems.map((problem) => `packhound.${namedSetting(problem) ?? ''}`);
    // Several are found by what they have in common.
    const query = names.length === 1 ? names[0] : `@id:${names.join(',')}`;
    await vscode.commands.executeCommand('workbench.action.openSettings', query);
  }
}
