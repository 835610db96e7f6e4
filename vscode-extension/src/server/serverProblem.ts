// What keeps the server from running, in one sentence, and what the user can do about it.
import { t } from '@vscode/l10n';
import type { Python, ServerCommand } from './serverCommand';

export type Remedy =
  | 'Install Server'
  | 'Choose Python'
  | 'How to Install'
  | 'Open Setting'
  | 'Show Logs'
  | 'Restart Server';

export interface Problem {
  reason: string;
  remedies: readonly Remedy[];
}

const OLDEST: Version = [3, 10];
type Version = readonly [number, number];

export const NOT_FOUND: Problem = {
  reason: t(
    'Packhound has no server yet. "Install Server" gets it from PyPI, into an environment of its own.',
  ),
  remedies: ['Install Server', 'Choose Python', 'How to Install'],
};

export const NO_PYTHON: Problem = {
  reason: t('Packhound needs Python 3.10 or newer, and there is none on the PATH.'),
  remedies: ['Choose Python', 'How to Install'],
};

/** Whether the server can be installed for a Python. */
export function isFit({ minor }: Python): boolean {
  return !isOlder(minor, OLDEST);
}

/** A Python that does not have packhound. */
export function unfit(python: Python): Problem {
  const { program, args, minor } = python;
  const name = [program, ...args].join(' ');
  return {
    reason: isFit(python)
      ? t('{0} does not have packhound: install it there, or choose another.', name)
      : t('Packhound needs Python 3.10 or newer, and {0} is {1}.', name, minor),
    remedies: ['Choose Python', 'How to Install'],
  };
}

export function couldNotRun(interpreter: string): Problem {
  return {
    reason: t(
      'The setting "packhound.server.interpreter" names "{0}", which is not a Python that runs.',
      interpreter,
    ),
    remedies: ['Choose Python', 'Open Setting'],
  };
}

export function couldNotStart({ source, program }: ServerCommand): Problem {
  if (program.endsWith('uvx') || program.endsWith('uvx.exe')) {
    return {
      reason: t(
        'uvx could not get packhound, for which it needs the network once: install the server, or choose a Python that has it.',
      ),
      remedies: ['Install Server', 'Choose Python', 'Show Logs'],
    };
  }
  const reason = t('The Packhound server from {0} ("{1}") could not be started.', source, program);
  return { reason, remedies: ['Show Logs', 'Open Setting'] };
}

export const KEEPS_ENDING: Problem = {
  reason: t('The Packhound server ended five times in three minutes, so it is not started again.'),
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
    reason: t(
      'The Packhound server from {0} is {1}, and this extension needs {2} or newer: update it.',
      source,
      server,
      versionOf(extension).join('.'),
    ),
    remedies: ['Install Server', 'How to Install', 'Open Setting'],
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
