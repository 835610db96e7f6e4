import { t } from '@vscode/l10n';
import * as vscode from 'vscode';

/** An error as a user reads it: without the class name and code that libraries put before it. */
export function problemText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Runs what a user asked for; what goes wrong becomes one message with the logs a click away. */
export async function withErrorsShown<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof vscode.CancellationError) {
      return undefined;
    }
    const logs = t('Show Logs');
    const choice = await vscode.window.showErrorMessage(`Packhound: ${problemText(error)}`, logs);
    if (choice === logs) {
      await vscode.commands.executeCommand('packhound.showLogs');
    }
    return undefined;
  }
}
