import { t } from '@vscode/l10n';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import type { PackhoundClient } from './server/packhoundClient';

/** Starts or restarts the server because the user asked; the outcome is said in one message. */
export async function restart(client: PackhoundClient): Promise<void> {
  await client.restart();
  if (client.state.kind === 'running') {
    vscode.window.setStatusBarMessage(t('Packhound: the server was restarted'), 4000);
  }
}

export async function rebuild(client: PackhoundClient): Promise<void> {
  await client.rebuild();
  vscode.window.setStatusBarMessage(t('Packhound: the index is being built again'), 4000);
}

/** Switches this workspace off, or on again, by its setting; the server frees or reads all of it. */
export async function turn(on: boolean): Promise<void> {
  await vscode.workspace
    .getConfiguration('packhound')
    .update('index.enabled', on ? undefined : false, vscode.ConfigurationTarget.Workspace);
  vscode.window.setStatusBarMessage(
    on ? t('Packhound is on in this workspace') : t('Packhound is off in this workspace'),
    4000,
  );
}

export async function forget(client: PackhoundClient): Promise<void> {
  await client.forget();
  vscode.window.setStatusBarMessage(
    t('Packhound: forgot what you opened, edited and picked'),
    4000,
  );
}

/** Deletes the stored indexes of the open folders, after asking, and begins anew. */
export async function clearIndex(client: PackhoundClient): Promise<void> {
  const confirmation = await vscode.window.showWarningMessage(
    t('Delete the stored index of this workspace?'),
    { modal: true, detail: t('Your files stay as they are. The index is built again right away.') },
    t('Delete Index'),
  );
  const { command } = client;
  if (!confirmation) {
    return;
  }
  if (!command) {
    throw new Error(t('The server was not found, so there is no index to delete.'));
  }
  await client.stop();
  try {
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      await promisify(execFile)(command.program, [
        ...command.args,
        'clear',
        '--root',
        folder.uri.fsPath,
      ]);
    }
  } finally {
    await client.restart();
  }
  vscode.window.setStatusBarMessage(t('Packhound: the index was deleted and is built again'), 4000);
}

export async function openSettings(filter = 'packhound'): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', filter);
}
