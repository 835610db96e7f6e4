// Where the server comes from. The order is a promise to the user, so it stands alone here, with
// everything that touches the machine behind `Machine`.
import { t } from '@vscode/l10n';
import { couldNotRun, isFit, NO_PYTHON, NOT_FOUND, unfit, type Problem } from './serverProblem';

export interface ServerCommand {
  program: string;
  /** What comes before the server's own subcommand (`lsp`, `mcp`, `clear`). */
  args: string[];
  /** Where it was found, in words for the logs and the status list. */
  source: string;
}

/** A Python that runs. `args` choose it where the program starts several, as `py -3.13` does. */
export interface Python {
  program: string;
  args: string[];
  /** Such as `3.12`. */
  minor: string;
  hasPackhound: boolean;
}

export interface Machine {
  trusted: boolean;
  /** The settings that name a program; those of an untrusted folder are already ignored. */
  configuredPath: readonly string[];
  configuredInterpreter: string;
  /** The Python with the server that this VSIX carries; none in the small one. */
  carried: string | undefined;
  /** The server in the environment that "Install Server" has made. */
  installed: string | undefined;
  selectedInterpreter(): Promise<string | undefined>;
  probe(program: string, args?: string[]): Promise<Python | undefined>;
  /** Each Python of the PATH, the usual names first. */
  pythonsOnPath(): AsyncIterable<Python>;
  onPath(program: string): Promise<string | undefined>;
}

export type Finding =
  { command: ServerCommand; problem?: undefined } | { command?: undefined; problem: Problem };

/** The first that is there: configured path, interpreter, PATH, carried, installed, uvx. */
export async function findServer(machine: Machine): Promise<Finding> {
  const { configuredPath, configuredInterpreter, trusted } = machine;
  const [program, ...args] = configuredPath;
  if (program) {
    return { command: { program, args, source: t('the setting "{0}"', 'packhound.server.path') } };
  }
  if (configuredInterpreter) {
    return fromInterpreterSetting(machine);
  }
  // A folder's own environment could hold any program under the name packhound.
  const interpreter = trusted ? await machine.selectedInterpreter() : undefined;
  const selected = interpreter ? await machine.probe(interpreter) : undefined;
  if (selected?.hasPackhound) {
    return { command: module(selected, t('the selected Python interpreter')) };
  }
  const onPath = await machine.onPath('packhound');
  if (onPath) {
    return { command: { program: onPath, args: [], source: t('packhound on the PATH') } };
  }
  if (machine.carried) {
    // Nothing of the user's own Python, nor of the folder that it is started in.
    const args = ['-I', '-m', 'packhound'];
    return { command: { program: machine.carried, args, source: t('this extension') } };
  }
  if (machine.installed) {
    const source = t('the environment of this extension');
    return { command: { program: machine.installed, args: [], source } };
  }
  const uvx = await machine.onPath('uvx');
  return uvx
    ? { command: { program: uvx, args: ['packhound'], source: 'uvx packhound' } }
    : { problem: (await fitPython(machine)) ? NOT_FOUND : NO_PYTHON };
}

/** A Python of the PATH in which the server can be installed. */
export async function fitPython(machine: Machine): Promise<Python | undefined> {
  for await (const python of machine.pythonsOnPath()) {
    if (isFit(python)) {
      return python;
    }
  }
  return undefined;
}

async function fromInterpreterSetting(machine: Machine): Promise<Finding> {
  const python = await machine.probe(machine.configuredInterpreter);
  if (!python) {
    return { problem: couldNotRun(machine.configuredInterpreter) };
  }
  return python.hasPackhound
    ? { command: module(python, t('the setting "{0}"', 'packhound.server.interpreter')) }
    : { problem: unfit(python) };
}

function module({ program, args }: Python, source: string): ServerCommand {
  return { program, args: [...args, '-m', 'packhound'], source };
}

/** Whether a restart with the one would run anything else than the other. */
export function sameCommand(one?: ServerCommand, other?: ServerCommand): boolean {
  return one?.program === other?.program && one?.args.join('\0') === other?.args.join('\0');
}
