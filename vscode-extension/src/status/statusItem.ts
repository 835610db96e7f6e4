import * as vscode from 'vscode';
import type { PackhoundClient } from '../server/packhoundClient';
import { statusText, type ServerState } from './statusText';

/** One entry in the status bar that always says what the index is doing. */
export function statusItem(client: PackhoundClient): vscode.Disposable {
  const item = vscode.window.createStatusBarItem(
    'packhound.status',
    vscode.StatusBarAlignment.Left,
  );
  item.name = 'Packhound';
  item.command = 'packhound.showStatus';
  const render = (state: ServerState): void => {
    const { label, sentence, severity } = statusText(state);
    item.text = label;
    item.tooltip = `${sentence}\nClick for details and logs.`;
    item.backgroundColor = background(severity);
    const ready = state.kind === 'running' && state.index?.state === 'ready';
    void vscode.commands.executeCommand('setContext', 'packhound.ready', ready);
  };
  render(client.state);
  item.show();
  return vscode.Disposable.from(item, client.onDidChangeState(render));
}

function background(severity: 'none' | 'warning' | 'error'): vscode.ThemeColor | undefined {
  return severity === 'none'
    ? undefined
    : new vscode.ThemeColor(`statusBarItem.${severity}Background`);
}
