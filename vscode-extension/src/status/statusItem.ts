import { t } from '@vscode/l10n';
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
  const language = vscode.languages.createLanguageStatusItem('packhound', { scheme: 'file' });
  language.name = 'Packhound';
  language.detail = 'Packhound';
  language.command = { command: 'packhound.showStatus', title: t('Details') };
  const render = (state: ServerState): void => {
    const { label, sentence, severity } = statusText(state);
    item.text = label;
    item.tooltip = `${sentence}\n${t('Click for details and logs.')}`;
    item.accessibilityInformation = { label: `Packhound: ${sentence}` };
    item.backgroundColor = background(severity);
    const ready = state.kind === 'running' && label.startsWith('$(check)');
    void vscode.commands.executeCommand('setContext', 'packhound.ready', ready);
    language.text = sentence;
    language.busy = label.includes('~spin');
    language.severity = SEVERITIES[severity];
  };
  render(client.state);
  item.show();
  return vscode.Disposable.from(item, language, client.onDidChangeState(render));
}

const SEVERITIES = {
  none: vscode.LanguageStatusSeverity.Information,
  warning: vscode.LanguageStatusSeverity.Warning,
  error: vscode.LanguageStatusSeverity.Error,
} as const;

function background(severity: 'none' | 'warning' | 'error'): vscode.ThemeColor | undefined {
  return severity === 'none'
    ? undefined
    : new vscode.ThemeColor(`statusBarItem.${severity}Background`);
}
