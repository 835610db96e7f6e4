import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';

/** The names under which a program may lie in a folder: on Windows with each PATHEXT ending. */
export function fileNames(program: string, platform: string, pathExt: string): string[] {
  if (platform !== 'win32') {
    return [program];
  }
  return pathExt
    .split(';')
    .filter(Boolean)
    .map((ending) => program + ending.toLowerCase());
}

/**
 * The first executable file of that name in the PATH. Relative entries are passed over: they
 * would let an opened folder bring its own program.
 */
export async function findOnPath(
  program: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string | undefined> {
  const names = fileNames(program, process.platform, env.PATHEXT ?? '.EXE;.CMD;.BAT;.COM');
  for (const folder of (env.PATH ?? '')
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))) {
    for (const name of names) {
      const candidate = path.join(folder, name);
      if (await isExecutable(candidate)) {
        return candidate;
      }
    }
  }
  return undefined;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
