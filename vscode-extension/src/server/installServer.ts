import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { offerRemedies } from '../remedies';
import { environmentIn, programOf, thisMachine, type OwnFolders } from './machine';
import type { PackhoundClient } from './packhoundClient';
import { fitPython, type Python } from './serverCommand';
import { NO_PYTHON } from './serverProblem';

/** Makes an environment with the server, which no system's Python refuses, and starts it. */
export async function installServer(
  client: PackhoundClient,
  folders: OwnFolders,
  version: string,
): Promise<void> {
  const python = await fitPython(thisMachine(folders));
  if (!python) {
    await offerRemedies(NO_PYTHON);
    return;
  }
  await client.stop();
  try {
    await vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: t('Packhound: installing its server for Python {0}', python.minor),
      },
      () => makeEnvironment(python, environmentIn(folders.storage), version),
    );
  } finally {
    await client.restart();
  }
}

async function makeEnvironment(
  { program, args }: Python,
  environment: string,
  version: string,
): Promise<void> {
  await mkdir(environment, { recursive: true });
  try {
    await run(program, [...args, '-m', 'venv', '--clear', environment]);
    await run(programOf(environment, 'python'), ['-m', 'pip', 'install', `packhound~=${version}`]);
  } catch (error) {
    await rm(environment, { recursive: true, force: true });
    throw error;
  }
}

async function run(program: string, args: string[]): Promise<void> {
  try {
    await promisify(execFile)(program, args);
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    const said = (stderr || stdout).trim();
    throw new Error(t('The server was not installed. {0}', said), { cause: error });
  }
}
