import * as vscode from 'vscode';
import { choose } from '../boxes';
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
  const rows: Action[] = [
    { label: label.replace(/\$\(sync~spin\)/, '$(sync)'), detail: sentence },
    ...(client.command ? [{ label: '$(server) Server', detail: serverDetail(client) }] : []),
    ...(index ? indexRows(index) : []),
    { label: 'What to do', kind: vscode.QuickPickItemKind.Separator },
    { label: '$(search) Search Code', command: 'packhound.search' },
    { label: '$(output) Show Logs', command: 'packhound.showLogs' },
    { label: '$(copy) Copy Debug Information', command: 'packhound.copyDebugInfo' },
    { label: '$(debug-restart) Restart Server', command: 'packhound.restart' },
    { label: '$(refresh) Rebuild Index', command: 'packhound.rebuild' },
    { label: '$(trash) Clear Index', command: 'packhound.clear' },
    { label: '$(gear) Open Settings', command: 'packhound.openSettings' },
  ];
  const choice = await choose(rows, { title: 'Packhound: Index Status' });
  if (choice?.command) {
    await vscode.commands.executeCommand(choice.command);
  }
}

function serverDetail(client: PackhoundClient): string {
  const { program = '', args = [], source = '' } = client.command ?? {};
  return `from ${source}: ${[program, ...args].join(' ')}`;
}

function indexRows(index: IndexStatus): Action[] {
  const count = (amount: number): string => amount.toLocaleString('en-US');
  return [
    {
      label: '$(database) Index',
      detail: `${count(index.files)} files, ${count(index.nodes)} definitions${index.pending > 0 ? `, ${count(index.pending)} files still to be read` : ''}`,
    },
    ...(index.notes ?? []).map((note) => ({ label: '$(info) Note', detail: note })),
  ];
}
