import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { choose } from '../boxes';
import { numeral } from '../numeral';
import type { IndexStatus } from '../protocol';
import type { PackhoundClient } from '../server/packhoundClient';
import { statusText } from './statusText';

interface Action extends vscode.QuickPickItem {
  command?: string;
}

/** Lists what the index holds and what can be done about it. */
export async function showStatus(client: PackhoundClient): Promise<void> {
  const index = client.state.kind === 'running' ? await client.status() : undefined;
  const state = index ? ({ kind: 'running', index } as const) : client.state;
  const { label, sentence } = statusText(state);
  const action = (icon: string, text: string, command: string): Action => ({
    ...row(icon, text),
    command: `packhound.${command}`,
  });
  const rows: Action[] = [
    {
      ...row(/\((\w[\w-]*)/.exec(label)?.[1] ?? 'info', label.replace(/^\S+ /, '')),
      detail: sentence,
    },
    ...(client.command ? [{ ...row('server', t('Server')), detail: serverDetail(client) }] : []),
    ...(index ? indexRows(index) : []),
    { label: t('What to do'), kind: vscode.QuickPickItemKind.Separator },
    action('search', t('Search Code'), 'search'),
    action('output', t('Show Logs'), 'showLogs'),
    action('copy', t('Copy Debug Information'), 'copyDebugInfo'),
    action('debug-restart', t('Restart Server'), 'restart'),
    action('refresh', t('Rebuild Index'), 'rebuild'),
    action('trash', t('Clear Index'), 'clear'),
    action('gear', t('Open Settings'), 'openSettings'),
  ];
  const choice = await choose(rows, { title: t('Packhound: Index Status') });
  if (choice?.command) {
    await vscode.commands.executeCommand(choice.command);
  }
}

function serverDetail(client: PackhoundClient): string {
  const { program = '', args = [], source = '' } = client.command ?? {};
  return t('from {0}: {1}', source, [program, ...args].join(' '));
}

/** An icon of its own is not read out, as one in the label is. */
function row(icon: string, label: string): Action {
  return { iconPath: new vscode.ThemeIcon(icon), label };
}

function indexRows({
  files,
  nodes,
  pending,
  notes = [],
  deep_vectors: closely,
}: IndexStatus): Action[] {
  const counts = [
    t('{0} files', numeral(files)),
    t('{0} definitions', numeral(nodes)),
    ...(pending > 0 ? [t('{0} files still to be read', numeral(pending))] : []),
    ...(closely && closely[0] < closely[1]
      ? [t('{0} of {1} read closely so far', numeral(closely[0]), numeral(closely[1]))]
      : []),
  ];
  return [
    { ...row('database', t('Index')), detail: counts.join(', ') },
    ...notes.map((note) => ({ ...row('info', t('Note')), detail: note })),
  ];
}
