import { t } from '@vscode/l10n';
import os from 'node:os';
import * as vscode from 'vscode';
import type { PackhoundClient } from '../server/packhoundClient';
import { statusText } from './statusText';

/** Copies what a report of a problem needs; no code, and no name of the user. */
export async function copyDebugInfo(client: PackhoundClient, version: string): Promise<void> {
  const index = client.state.kind === 'running' ? await client.status() : undefined;
  const { program = '', args = [], source = 'none' } = client.command ?? {};
  const lines = [
    `Packhound extension ${version}, server ${client.serverVersion ?? 'not running'}`,
    `VS Code ${vscode.version} (${vscode.env.appName}), ${process.platform} ${process.arch}`,
    `Server from ${source}: ${[program, ...args].join(' ')}`,
    `State: ${statusText(index ? { kind: 'running', index } : client.state).sentence}`,
    `Settings: ${JSON.stringify(changedSettings())}`,
    ...(index ? ['Status:', JSON.stringify(index, undefined, 1)] : []),
  ];
  await vscode.env.clipboard.writeText(lines.join('\n').replaceAll(os.homedir(), '~'));
  vscode.window.setStatusBarMessage(t('Packhound: the debug information was copied'), 4000);
}

/** Settings with a value of the user's or the workspace's. */
function changedSettings(): Record<string, unknown> {
  const settings = vscode.workspace.getConfiguration('packhound');
  const { contributes } = (vscode.extensions.getExtension('packhound.packhound')?.packageJSON ?? {
    contributes: { configuration: [] },
  }) as { contributes: { configuration: { properties: Record<string, unknown> }[] } };
  const names = contributes.configuration.flatMap(({ properties }) => Object.keys(properties));
  const changed = names.flatMap((name) => {
    const configured = settings.inspect(name.slice('packhound.'.length));
    const value =
      configured?.workspaceFolderValue ?? configured?.workspaceValue ?? configured?.globalValue;
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(changed);
}
