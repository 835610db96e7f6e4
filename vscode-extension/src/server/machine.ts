import { execFile } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { findOnPath } from './pathLookup';
import type { Machine } from './serverCommand';

const PYTHON_EXTENSION = 'ms-python.python';
const PROBE = 'import importlib.util, sys; sys.exit(importlib.util.find_spec("packhound") is None)';
// A cold interpreter on a slow disk; a probe that takes longer counts as "no".
const PROBE_TIMEOUT_MS = 10_000;

/** This machine as the search for a server sees it. `folder` is where probes run: an own folder. */
export function thisMachine(folder: string): Machine {
  const settings = vscode.workspace.getConfiguration('packhound');
  return {
    trusted: vscode.workspace.isTrusted,
    configuredPath: settings.get<string[]>('server.path', []).map(expand),
    configuredInterpreter: expand(settings.get<string>('server.interpreter', '')),
    selectedInterpreter,
    hasPackhound: (interpreter) => hasPackhound(interpreter, folder),
    onPath: (program) => findOnPath(program),
  };
}

/** `~` and `${workspaceFolder}` as VS Code users expect them in a setting that names a file. */
function expand(text: string): string {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const home = text.startsWith('~/') ? path.join(os.homedir(), text.slice(2)) : text;
  return home.replaceAll('${workspaceFolder}', folder);
}

interface PythonApi {
  environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    resolveEnvironment(
      environment: unknown,
    ): Promise<{ executable?: { uri?: vscode.Uri } } | undefined>;
    onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

async function pythonApi(): Promise<PythonApi | undefined> {
  return vscode.extensions.getExtension<PythonApi>(PYTHON_EXTENSION)?.activate();
}

async function selectedInterpreter(): Promise<string | undefined> {
  const environments = (await pythonApi())?.environments;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const active = environments?.getActiveEnvironmentPath(folder);
  const resolved = active && (await environments?.resolveEnvironment(active));
  return resolved?.executable?.uri?.fsPath;
}

/** Tells when the user selects another Python interpreter, where the Python extension is there. */
export async function onInterpreterChange(changed: () => void): Promise<vscode.Disposable> {
  const environments = (await pythonApi())?.environments;
  return environments?.onDidChangeActiveEnvironmentPath(changed) ?? new vscode.Disposable(() => {});
}

async function hasPackhound(interpreter: string, folder: string): Promise<boolean> {
  try {
    await promisify(execFile)(interpreter, ['-c', PROBE], {
      cwd: folder,
      timeout: PROBE_TIMEOUT_MS,
    });
    return true;
  } catch {
    return false;
  }
}
