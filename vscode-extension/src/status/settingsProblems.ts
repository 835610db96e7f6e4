import * as vscode from 'vscode';
import type { PackhoundClient } from '../server/packhoundClient';
import { namedSetting } from './namedSetting';

const OPEN = 'Open Setting';

/** Shows each new note of the server that names a setting, with a way to it. */
export function showSettingsProblems(client: PackhoundClient): vscode.Disposable {
  let known = new Set<string>();
  return client.onDidChangeState((state) => {
    if (state.kind !== 'running' || !state.index) {
      return;
    }
    const problems = (state.index.notes ?? []).filter(namedSetting);
    for (const problem of problems.filter((each) => !known.has(each))) {
      void show(problem);
    }
    known = new Set(problems);
  });
}

async function show(problem: string): Promise<void> {
  const choice = await vscode.window.showWarningMessage(`Packhound: ${problem}`, OPEN);
  if (choice === OPEN) {
    const setting = `packhound.${namedSetting(problem) ?? ''}`;
    await vscode.commands.executeCommand('workbench.action.openSettings', setting);
  }
}
