// Where the server comes from. The order is a promise to the user, so it stands alone here, with
// everything that touches the machine behind `Machine`.

export interface ServerCommand {
  program: string;
  /** What comes before the server's own subcommand (`lsp`, `mcp`, `clear`). */
  args: string[];
  /** Where it was found, in words for the logs and the status list. */
  source: string;
}

export interface Machine {
  trusted: boolean;
  /** The settings that name a program; those of an untrusted folder are already ignored. */
  configuredPath: readonly string[];
  configuredInterpreter: string;
  selectedInterpreter(): Promise<string | undefined>;
  hasPackhound(interpreter: string): Promise<boolean>;
  onPath(program: string): Promise<string | undefined>;
}

export const NOT_FOUND =
  'Packhound cannot find its server. Install it with "pip install packhound", ' +
  'or set "packhound.server.path" to the program.';

/** The first that is there: configured path, interpreter with packhound, PATH, uvx. */
export async function findServer(machine: Machine): Promise<ServerCommand | undefined> {
  return (
    fromPathSetting(machine) ??
    (await fromInterpreter(machine)) ??
    (await fromPath(machine)) ??
    (await fromUvx(machine))
  );
}

function fromPathSetting({ configuredPath }: Machine): ServerCommand | undefined {
  const [program, ...args] = configuredPath;
  return program ? { program, args, source: 'the setting "packhound.server.path"' } : undefined;
}

async function fromInterpreter(machine: Machine): Promise<ServerCommand | undefined> {
  if (machine.configuredInterpreter) {
    return module(machine.configuredInterpreter, 'the setting "packhound.server.interpreter"');
  }
  // A folder's own environment could hold any program under the name packhound.
  const selected = machine.trusted ? await machine.selectedInterpreter() : undefined;
  if (selected && (await machine.hasPackhound(selected))) {
    return module(selected, 'the selected Python interpreter');
  }
  return undefined;
}

function module(interpreter: string, source: string): ServerCommand {
  return { program: interpreter, args: ['-m', 'packhound'], source };
}

async function fromPath(machine: Machine): Promise<ServerCommand | undefined> {
  const program = await machine.onPath('packhound');
  return program ? { program, args: [], source: 'packhound on the PATH' } : undefined;
}

async function fromUvx(machine: Machine): Promise<ServerCommand | undefined> {
  const program = await machine.onPath('uvx');
  return program ? { program, args: ['packhound'], source: 'uvx packhound' } : undefined;
}

/** Whether a restart with the one would run anything else than the other. */
export function sameCommand(one?: ServerCommand, other?: ServerCommand): boolean {
  return one?.program === other?.program && one?.args.join('\0') === other?.args.join('\0');
}
