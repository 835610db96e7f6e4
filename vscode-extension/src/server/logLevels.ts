import * as vscode from 'vscode';

/** The server's name of each level of VS Code's logs. */
export const LEVELS: Partial<Record<vscode.LogLevel, string>> = {
  [vscode.LogLevel.Trace]: 'debug',
  [vscode.LogLevel.Debug]: 'debug',
  [vscode.LogLevel.Info]: 'info',
  [vscode.LogLevel.Warning]: 'warning',
  [vscode.LogLevel.Error]: 'error',
};
