// Where the server comes from. The order is a promise to the user, so it stands alone here, with
// everything that touches the machine behind `Machine`.
import { t } from '@vscode/l10n';
import { couldNotRun, NOT_FOUND, NO_PYTHON, unfit, type Problem } from './serverProblem';

export interface ServerCommand {
  program: string;
  /** What comes before the server's own subcommand (`lsp`, `mcp`, `clear`). */
  args: string[];
  /** Where it was found, in words for the logs and the status list. */
  source: string;
  /** The one that this VSIX carries, which has no MCP server. */
  bundled?: true;
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
  /** The Python minors that this VSIX carries the server for; none in the small one. */
  carriedMinors: readonly string[];
  /** The script that runs the carried server. */
  runner: string;
  selectedInterpreter(): Promise<string | undefined>;
  probe(program: string, args?: string[]): Promise<Python | undefined>;
  /** Each Python of the PATH once, those of the carried minors first. */
  pythonsOnPath(): AsyncIterable<Python>;
  onPath(program: string): Promise<string | undefined>;
}

export type Finding =
  { command: ServerCommand; problem?: undefined } | { command?: undefined; problem: Problem };

/** The first that is there: configured path, interpreter, PATH, the carried server, uvx. */
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
  const installed = await machine.onPath('packhound');
  if (installed) {
    return { command: { program: installed, args: [], source: t('packhound on the PATH') } };
  }
  const carried = await fromBundle(machine, selected);
  if (carried.command) {
    return carried;
  }
  const uvx = await machine.onPath('uvx');
  return uvx
    ? { command: { program: uvx, args: ['packhound'], source: 'uvx packhound' } }
    : carried;
}

async function fromInterpreterSetting(machine: Machine): Promise<Finding> {
  const python = await machine.probe(machine.configuredInterpreter);
  if (!python) {
    return { problem: couldNotRun(machine.configuredInterpreter) };
  }
  const source = t('the setting "{0}"', 'packhound.server.interpreter');
  if (python.hasPackhound) {
    return { command: module(python, source) };
  }
  return machine.carriedMinors.includes(python.minor)
    ? { command: bundled(machine, python) }
    : { problem: unfit(python, machine.carriedMinors) };
}

async function fromBundle(machine: Machine, selected?: Python): Promise<Finding> {
  const { carriedMinors } = machine;
  if (carriedMinors.length === 0) {
    return { problem: NOT_FOUND };
  }
  let first = selected;
  if (selected && carriedMinors.includes(selected.minor)) {
    return { command: bundled(machine, selected) };
  }
  for await (const python of machine.pythonsOnPath()) {
    if (carriedMinors.includes(python.minor)) {
      return { command: bundled(machine, python) };
    }
    first ??= python;
  }
  return { problem: first ? unfit(first, carriedMinors) : NO_PYTHON };
}

function module({ program, args }: Python, source: string): ServerCommand {
  return { program, args: [...args, '-m', 'packhound'], source };
}

function bundled({ runner }: Machine, { program, args, minor }: Python): ServerCommand {
  const source = t('this extension, run by Python {0}', minor);
  return { program, args: [...args, runner], source, bundled: true };
}

/** Whether a restart with the one would run anything else than the other. */
export function sameCommand(one?: ServerCommand, other?: ServerCommand): boolean {
  return one?.program === other?.program && one?.args.join('\0') === other?.args.join('\0');
}
