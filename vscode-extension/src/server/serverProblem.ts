// What keeps the server from running, in one sentence, and what the user can do about it.
import type { Python, ServerCommand } from './serverCommand';

export type Remedy =
  'Choose Python' | 'How to Install' | 'Open Setting' | 'Show Logs' | 'Restart Server';

export interface Problem {
  reason: string;
  remedies: readonly Remedy[];
}

const OLDEST: Version = [3, 10];
type Version = readonly [number, number];

export const NOT_FOUND: Problem = {
  reason:
    'Packhound cannot find its server. It needs Python 3.10 or newer: install it with ' +
    '"pip install packhound", or choose a Python that has it.',
  remedies: ['Choose Python', 'How to Install'],
};

export const NO_PYTHON: Problem = {
  reason: 'Packhound needs Python 3.10 or newer, and there is none on the PATH.',
  remedies: ['Choose Python', 'How to Install'],
};

/** A Python that neither has packhound nor is one that the carried server runs in. */
export function unfit({ program, args, minor }: Python, carried: readonly string[]): Problem {
  const python = [program, ...args].join(' ');
  const remedies = ['Choose Python', 'How to Install'] as const;
  if (isOlder(minor, OLDEST)) {
    return { reason: `Packhound needs Python 3.10 or newer, and ${python} is ${minor}.`, remedies };
  }
  const carries =
    carried.length > 0
      ? `Packhound carries its server for Python ${carried.join(' and ')}, and ${python} is ${minor}`
      : `${python} does not have packhound`;
  const pip = `${python} -m pip install packhound`;
  return { reason: `${carries}: install it with "${pip}", or choose another.`, remedies };
}

export function couldNotRun(interpreter: string): Problem {
  return {
    reason: `The setting "packhound.server.interpreter" names "${interpreter}", which is not a Python that runs.`,
    remedies: ['Choose Python', 'Open Setting'],
  };
}

export function couldNotStart({ source, program }: ServerCommand): Problem {
  if (program.endsWith('uvx') || program.endsWith('uvx.exe')) {
    return {
      reason:
        'uvx could not get packhound, for which it needs the network once: install it with ' +
        '"pip install packhound", or choose a Python that has it.',
      remedies: ['Choose Python', 'How to Install', 'Show Logs'],
    };
  }
  const reason = `The Packhound server from ${source} ("${program}") could not be started.`;
  return { reason, remedies: ['Show Logs', 'Open Setting'] };
}

export const KEEPS_ENDING: Problem = {
  reason: 'The Packhound server ended five times in three minutes, so it is not started again.',
  remedies: ['Restart Server', 'Show Logs'],
};

/** Says that a server is of an older release than this extension can talk to, or nothing. */
export function outdated(
  server: string | undefined,
  extension: string,
  { source }: ServerCommand,
): Problem | undefined {
  if (!server || !isOlder(server, versionOf(extension))) {
    return undefined;
  }
  return {
    reason:
      `The Packhound server from ${source} is ${server}, and this extension needs ` +
      `${versionOf(extension).join('.')} or newer: update it with "pip install --upgrade packhound".`,
    remedies: ['How to Install', 'Open Setting'],
  };
}

/** Major and minor of `3.12` or `0.1.0`. */
function versionOf(text: string): Version {
  const [major = 0, minor = 0] = text.split('.').map((part) => Number.parseInt(part, 10));
  return [major, minor];
}

function isOlder(version: string, than: Version): boolean {
  const [major, minor] = versionOf(version);
  return major < than[0] || (major === than[0] && minor < than[1]);
}
