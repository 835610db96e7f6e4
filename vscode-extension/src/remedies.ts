import * as vscode from 'vscode';
import type { Problem, Remedy } from './server/serverProblem';

const COMMANDS: Record<Remedy, readonly [string, ...unknown[]]> = {
  'Choose Python': ['packhound.choosePython'],
  'How to Install': ['workbench.action.openWalkthrough', 'packhound.packhound#start'],
  'Open Setting': ['workbench.action.openSettings', 'packhound.server'],
  'Show Logs': ['packhound.showLogs'],
  'Restart Server': ['packhound.restart'],
};

/** Says a problem in one message with a button for each remedy. */
export async function offerRemedies({ reason, remedies }: Problem): Promise<void> {
  // As a warning: an error with buttons stays on the screen after it has been mended.
  const choice = await vscode.window.showWarningMessage(reason, ...remedies);
  if (choice) {
    await vscode.commands.executeCommand(...COMMANDS[choice]);
  }
}
