import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Machine } from './serverCommand';

interface PythonItem extends vscode.QuickPickItem {
  program?: string;
}

/** Lets the user choose a Python for the server, from the PATH or from the disk. */
export async function choosePython(machine: Machine): Promise<void> {
  const choice = await vscode.window.showQuickPick(items(machine), {
    title: t('Packhound: Choose Python'),
    placeholder: t('Python 3.10 or newer, with packhound'),
  } as vscode.QuickPickOptions);
  const program = choice && (choice.program ?? (await browse()));
  if (program) {
    // A setting of the user that the search for the server reads again at once.
    await vscode.workspace
      .getConfiguration('packhound')
      .update('server.interpreter', program, vscode.ConfigurationTarget.Global);
  }
}

async function items(machine: Machine): Promise<PythonItem[]> {
  const rows: PythonItem[] = [];
  for await (const python of machine.pythonsOnPath()) {
    // A launcher such as `py` cannot be named by the setting.
    if (python.args.length === 0 && !rows.some(({ program }) => program === python.program)) {
      rows.push({
        label: `Python ${python.minor}`,
        description: python.program,
        detail: python.hasPackhound ? t('has packhound') : t('has no packhound'),
        program: python.program,
      });
    }
  }
  return [...rows, { label: `$(folder-opened) ${t('Browse…')}` }];
}

async function browse(): Promise<string | undefined> {
  const files = await vscode.window.showOpenDialog({
    title: t('A Python interpreter'),
    openLabel: t('Choose'),
  });
  return files?.[0]?.fsPath;
}
