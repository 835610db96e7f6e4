// Run by VS Code when the extension was uninstalled: the indexes and logs go, notes and settings stay.
import { readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const HOME = os.homedir();
const LOCAL = process.env.LOCALAPPDATA ?? path.join(HOME, 'AppData', 'Local');

/** Where the server keeps what `kind` names, as platformdirs says. */
function folder(kind: 'cache' | 'state'): string {
  const upper = kind.toUpperCase();
  const own = process.env[`PACKHOUND_${upper}_DIR`];
  if (own) {
    return own;
  }
  if (process.platform === 'win32') {
    return path.join(LOCAL, 'packhound', ...(kind === 'cache' ? ['Cache'] : []));
  }
  if (process.platform === 'darwin') {
    const place = kind === 'cache' ? 'Caches' : 'Application Support';
    return path.join(HOME, 'Library', place, 'packhound');
  }
  const usual = kind === 'cache' ? '.cache' : path.join('.local', 'state');
  return path.join(process.env[`XDG_${upper}_HOME`] ?? path.join(HOME, usual), 'packhound');
}

rmSync(folder('cache'), { recursive: true, force: true });
try {
  for (const name of readdirSync(folder('state'))) {
    if (/^(cli|mcp|engine)\.log/.test(name)) {
      rmSync(path.join(folder('state'), name), { force: true });
    }
  }
} catch {
  // No server ever ran.
}
