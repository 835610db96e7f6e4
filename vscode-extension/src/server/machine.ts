import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { findOnPath } from './pathLookup';
import type { Machine, Python } from './serverCommand';

const WINDOWS = process.platform === 'win32';
/** Of Pythons beside one that is too old. */
const MINORS = [14, 13, 12, 11, 10];
const PYTHON_EXTENSION = 'ms-python.python';
// Also read by Pythons that are too old.
const PROBE = `
import sys
print("%d.%d" % sys.version_info[:2])
try:
    import importlib.util
    print(importlib.util.find_spec("packhound") is not None)
except Exception:
    print(False)
`;
// A cold interpreter on a slow disk; one that takes longer counts as broken.
const PROBE_TIMEOUT_MS = 10_000;

/** The folders of the extension: what it consists of, and where it may write. */
export interface OwnFolders {
  extension: string;
  storage: string;
}

/** This machine as the search for a server sees it. Probes run in the extension's own folder. */
export function thisMachine({ extension, storage }: OwnFolders): Machine {
  const settings = vscode.workspace.getConfiguration('packhound');
  return {
    trusted: vscode.workspace.isTrusted,
    configuredPath: settings.get<string[]>('server.path', []).map(expand),
    configuredInterpreter: expand(settings.get<string>('server.interpreter', '')),
    carried: existing(carriedPython(extension)),
    installed: existing(programOf(environmentIn(storage), 'packhound')),
    selectedInterpreter,
    probe: (program, args) => probe(extension, program, args),
    pythonsOnPath: () => pythonsOnPath(extension),
    onPath: (program) => findOnPath(program),
  };
}

/** Where "Install Server" makes an environment. */
export function environmentIn(storage: string): string {
  return path.join(storage, 'server');
}

/** A program of an environment. */
export function programOf(environment: string, name: string): string {
  return path.join(environment, ...(WINDOWS ? ['Scripts', `${name}.exe`] : ['bin', name]));
}

function carriedPython(extension: string): string {
  const place = WINDOWS ? ['python.exe'] : ['bin', 'python3'];
  return path.join(extension, 'bundled', 'python', ...place);
}

function existing(file: string): string | undefined {
  return existsSync(file) ? file : undefined;
}

async function* pythonsOnPath(folder: string): AsyncGenerator<Python> {
  const candidates: [string, ...string[]][] = [
    ...(WINDOWS ? [['py', '-3'] as [string, string]] : []),
    ['python3'],
    ['python'],
    ...MINORS.map((minor): [string] => [`python3.${minor}`]),
  ];
  for (const [name, ...args] of candidates) {
    const program = await findOnPath(name);
    // Without Apple's developer tools this one is a stub that opens a dialog; with them it is 3.9.
    const isStub = process.platform === 'darwin' && program === '/usr/bin/python3';
    const python = program && !isStub ? await probe(folder, program, args) : undefined;
    if (python) {
      yield python;
    }
  }
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

async function probe(
  folder: string,
  program: string,
  args: string[] = [],
): Promise<Python | undefined> {
  try {
    const options = { cwd: folder, timeout: PROBE_TIMEOUT_MS };
    const { stdout } = await promisify(execFile)(program, [...args, '-c', PROBE], options);
    const [minor, hasPackhound] = stdout.split(/\s+/);
    return minor && /^\d+\.\d+$/.test(minor)
      ? { program, args, minor, hasPackhound: hasPackhound === 'True' }
      : undefined;
  } catch {
    return undefined;
  }
}
