import { randomUUID } from 'node:crypto';
import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type {
  CancellationToken,
  LanguageClient,
  LanguageClientOptions,
} from 'vscode-languageclient/node';
import {
  ProgressType,
  RevealOutputChannelOn,
  State,
  TransportKind,
} from 'vscode-languageclient/node';
import type {
  Explanation,
  Hit,
  IndexStatus,
  Pack,
  PackParams,
  PlaceParams,
  SearchParams,
  SearchResults,
} from '../protocol';
import { isCode, methods, serverCommands } from '../protocol';
import type { GrepParams, GrepResults } from '../search/grepProtocol';
import { withCopies } from '../search/hitText';
import type { ServerState } from '../status/statusText';
import { configurationMiddleware } from './configuration';
import { LEVELS } from './logLevels';
import { onlyNewest } from './onlyNewest';
import { QuietClient } from './quietClient';
import { RestartPolicy } from './restartPolicy';
import { findServer, sameCommand, type ServerCommand } from './serverCommand';
import { couldNotStart, KEEPS_ENDING, outdated, type Problem } from './serverProblem';
import { thisMachine, type OwnFolders } from './machine';

/** The one connection to the server: finds it, starts it, restarts it, asks it. */
export class PackhoundClient implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private serverCommand: ServerCommand | undefined;
  private current: ServerState = { kind: 'stopped' };
  private readonly changes = new vscode.EventEmitter<ServerState>();
  private readonly restartNewest = onlyNewest(() => this.startAfresh());
  private readonly searches = new vscode.EventEmitter<SearchResults>();
  readonly onDidChangeState = this.changes.event;
  /** What the server explains from now on: the answer to the last search, whoever asked. */
  readonly onDidSearch = this.searches.event;
  private readonly problems = new vscode.EventEmitter<Problem>();
  /** Something that the user should know at once, and can do something about. */
  readonly onProblem = this.problems.event;
  /** Gives a record that stands in no file a document of its own. */
  withDocument: (hit: Hit) => Hit = (hit) => hit;
  /** May add to the server's hover. */
  onHover:
    | ((
        hover: vscode.Hover,
        document: vscode.TextDocument,
        position: vscode.Position,
      ) => vscode.Hover)
    | undefined;

  constructor(
    private readonly log: vscode.LogOutputChannel,
    private readonly folders: OwnFolders,
    private readonly version: string,
  ) {
    log.onDidChangeLogLevel(() => {
      this.sendLogLevel();
    });
  }

  get state(): ServerState {
    return this.current;
  }

  /** The program that serves, for others that start it too (MCP, clearing). */
  get command(): ServerCommand | undefined {
    return this.serverCommand;
  }

  get serverVersion(): string | undefined {
    return this.client?.initializeResult?.serverInfo?.version;
  }

  get languageClient(): LanguageClient | undefined {
    return this.client;
  }

  /** Stops what runs and starts what the settings and the machine now name. */
  restart(): Promise<void> {
    return this.restartNewest();
  }

  /** A restart only where another program would be run. */
  async restartIfMoved(): Promise<void> {
    const { command } = await findServer(thisMachine(this.folders));
    if (!command || !sameCommand(command, this.serverCommand)) {
      await this.restart();
    }
  }

  async stop(): Promise<void> {
    const stopping = this.client;
    this.client = undefined;
    if (stopping) {
      await stopping.dispose().catch((error: unknown) => {
        this.log.warn(`The server did not stop in order: ${String(error)}`);
      });
    }
    this.become({ kind: 'stopped' });
  }

  async search(params: SearchParams, token?: CancellationToken): Promise<SearchResults> {
    const results = await this.request<SearchResults>(methods.search, params, token);
    results.hits = results.hits.flatMap(withCopies).map((hit) => this.withDocument(hit));
    this.searches.fire(results);
    return results;
  }

  explain(params: PlaceParams, token?: CancellationToken): Promise<Explanation> {
    return this.request(methods.explain, params, token);
  }

  related(params: PlaceParams, token?: CancellationToken): Promise<SearchResults> {
    return this.request(methods.related, params, token);
  }

  grep(params: GrepParams, token?: CancellationToken): Promise<GrepResults> {
    return this.request(methods.grep, params, token);
  }

  pack(params: PackParams, token?: CancellationToken): Promise<Pack> {
    return this.request(methods.pack, params, token);
  }

  status(wait = false): Promise<IndexStatus> {
    return this.request(methods.status, { wait });
  }

  /** Tells that the user opened a result, or ran it as a test; of interest where habits count. */
  picked(hit: Hit, run = false): void {
    if (this.client?.isRunning() && isCode(hit)) {
      const params: PlaceParams = { uri: hit.uri, position: hit.range.start };
      void this.client.sendNotification(methods.picked, { ...params, run });
    }
  }

  /** Forgets what the user opened, edited and picked. */
  async forget(): Promise<void> {
    await this.request(methods.forget, {});
  }

  async rebuild(): Promise<void> {
    await this.request('workspace/executeCommand', {
      command: serverCommands.rebuild,
      arguments: [],
    });
  }

  dispose(): void {
    void this.stop();
    this.changes.dispose();
    this.searches.dispose();
    this.problems.dispose();
  }

  /** Asks the server, once it runs. */
  async request<T>(method: string, params: object, token?: CancellationToken): Promise<T> {
    if (!this.client) {
      throw new Error('problem' in this.current ? this.current.problem.reason : notRunning);
    }
    await this.client.start();
    // An undefined token would be sent as a second parameter.
    return token
      ? this.client.sendRequest<T>(method, params, token)
      : this.client.sendRequest<T>(method, params);
  }

  /** Asks what takes long: its steps, and what it finds before the answer, are handed on. */
  async requestInSteps<T>(
    method: string,
    params: object,
    token: CancellationToken,
    onStep: (message: string) => void,
    onFound: (found: Partial<T>) => void,
  ): Promise<T> {
    const [workDoneToken, partialResultToken] = [randomUUID(), randomUUID()];
    const listening = [
      this.client?.onProgress(new ProgressType<{ message: string }>(), workDoneToken, (step) => {
        onStep(step.message);
      }),
      this.client?.onProgress(new ProgressType<Partial<T>>(), partialResultToken, onFound),
    ];
    try {
      return await this.request<T>(method, { ...params, workDoneToken, partialResultToken }, token);
    } finally {
      for (const each of listening) {
        each?.dispose();
      }
    }
  }

  private async startAfresh(): Promise<void> {
    await this.stop();
    this.become({ kind: 'starting' });
    const { command, problem } = await findServer(thisMachine(this.folders));
    this.serverCommand = command;
    if (!command) {
      this.fail('missing', problem);
      return;
    }
    const { program, args, source } = command;
    this.log.info(`Starting the server from ${source}: ${[program, ...args, 'lsp'].join(' ')}`);
    const client = this.build(command);
    this.client = client;
    try {
      await client.start();
      if (this.client === client) {
        this.sendLogLevel();
        await this.askFirstStatus(client);
        this.checkVersion(client, command);
      }
    } catch (error) {
      this.client = undefined;
      this.log.error(`The server could not be started: ${String(error)}`);
      this.fail('failed', couldNotStart(command));
    }
  }

  /** Has the server write log lines of the level that VS Code shows. */
  private sendLogLevel(): void {
    const level = LEVELS[this.log.logLevel];
    if (level && this.client?.isRunning()) {
      void this.client.sendNotification(methods.logLevel, { level });
    }
  }

  private checkVersion(client: LanguageClient, command: ServerCommand): void {
    const server = client.initializeResult?.serverInfo?.version;
    const problem = outdated(server, this.version, command);
    if (problem) {
      this.log.warn(problem.reason);
      this.problems.fire(problem);
    }
  }

  private async askFirstStatus(client: LanguageClient): Promise<void> {
    const index = await client.sendRequest<IndexStatus>(methods.status, {});
    this.become({ kind: 'running', index });
  }

  private build({ program, args }: ServerCommand): LanguageClient {
    const policy = new RestartPolicy();
    const client = new QuietClient(
      {
        command: program,
        args: [...args, 'lsp'],
        transport: TransportKind.stdio,
        options: { cwd: this.folders.extension },
      },
      this.clientOptions(),
      policy,
    );
    client.onNotification(methods.indexState, (index: IndexStatus) => {
      this.become({ kind: 'running', index });
    });
    client.onDidChangeState(({ newState }) => {
      this.follow(client, newState, policy);
    });
    return client;
  }

  private clientOptions(): LanguageClientOptions {
    return {
      documentSelector: ['file', 'untitled', 'vscode-notebook-cell'].map((scheme) => ({ scheme })),
      outputChannel: this.log,
      traceOutputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationFailedHandler: () => false,
      // Of the settings files of folders that are not trusted only harmless ones count.
      initializationOptions: { trusted: vscode.workspace.isTrusted, showsNotes: true },
      middleware: {
        workspace: { configuration: configurationMiddleware },
        // The status item tells the same progress in the same words as the lists.
        handleWorkDoneProgress: () => undefined,
        provideHover: async (document, position, token, next) => {
          const hover = await next(document, position, token);
          return hover && this.onHover ? this.onHover(hover, document, position) : hover;
        },
      },
    };
  }

  /** The client restarts a server that dies by itself; the state says so meanwhile. */
  private follow(client: LanguageClient, state: State, policy: RestartPolicy): void {
    if (client !== this.client) {
      return;
    }
    policy.hasRun ||= state === State.Running;
    if (state === State.Stopped && policy.hasGivenUp) {
      this.client = undefined;
      this.fail('failed', KEEPS_ENDING);
    } else if (state === State.Stopped) {
      this.become({ kind: 'stopped' });
    } else if (state === State.Starting) {
      this.become({ kind: 'starting' });
    } else if (this.current.kind !== 'running') {
      this.become({ kind: 'running' });
    }
  }

  private fail(kind: 'missing' | 'failed', problem: Problem): void {
    this.log.error(problem.reason);
    this.become({ kind, problem });
    this.problems.fire(problem);
  }

  private become(state: ServerState): void {
    this.current = state;
    this.changes.fire(state);
  }
}

const notRunning = t(
  'The Packhound server is not running. Restart it with "Packhound: Restart Server"; "Packhound: Show Logs" says why it stopped.',
);
