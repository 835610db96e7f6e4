import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Problem, Remedy } from './server/serverProblem';

const COMMANDS: Record<Remedy, readonly [title: string, command: string, ...unknown[]]> = {
  'Install Server': [t('Install Server'), 'packhound.installServer'],
  'Choose Python': [t('Choose Python'), 'packhound.choosePython'],
  'How to Install': [
    t('How to Install'),
    'workbench.action.openWalkthrough',
    'packhound.packhound#start',
  ],
  'Open Setting': [t('Open Setting'), 'workbench.action.openSettings', 'packhound.server'],
  'Show Logs': [t('Show Logs'), 'packhound.showLogs'],
  'Restart Server': [t('Restart Server'), 'packhound.restart'],
};

/** Says a problem in one message with a button for each remedy. */
export async function offerRemedies({ reason, remedies }: Problem): Promise<void> {
  // As a warning: an error with buttons stays on the screen after it has been mended.
  const items = remedies.map((remedy) => ({ title: COMMANDS[remedy][0], remedy }));
  const choice = await vscode.window.showWarningMessage(reason, ...items);
  if (choice) {
    const [, ...command] = COMMANDS[choice.remedy];
    await vscode.commands.executeCommand(...command);
  }
}
