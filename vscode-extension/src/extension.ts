import { t } from '@vscode/l10n';
import './language';
import * as vscode from 'vscode';
import { registerMcp } from './agents/mcp';
import { registerTools } from './agents/tools';
import { explainAtCursor } from './explain/explainCommand';
import { withLink } from './explain/hover';
import { HitActions } from './hitActions';
import { clearIndex, forget, openSettings, rebuild, restart, turn } from './maintenance';
import { Packer } from './pack/packCommand';
import { Pins } from './pack/pins';
import { PinTree } from './pack/pinTree';
import { addNote } from './notes/addNote';
import { inDocuments } from './notes/noteDocuments';
import { showNotes } from './notes/noteList';
import { NoteMarks } from './notes/noteMarks';
import { codeHere, onDidPick, openHit, queryHere, selectedText } from './places';
import { withErrorsShown } from './problems';
import type { Pack, PlaceParams, SearchResults } from './protocol';
import { ProposalChecks } from './proposals/proposalChecks';
import { ProposalDocuments } from './proposals/proposalDocuments';
import { Proposals, type Act } from './proposals/proposalList';
import { titleOf } from './proposals/proposalText';
import { offerRemedies } from './remedies';
import { ReadOnlyDocuments } from './readOnlyDocuments';
import { showHistory } from './results/resultHistory';
import { Results } from './results/results';
import { ResultTree, type HitRow } from './results/resultTree';
import { grepAsTyped, lineMarks } from './search/grepCommand';
import { resumeLast } from './search/liveList';
import { Previews } from './search/preview';
import { QueryMemory } from './search/queryMemory';
import { searchAsTyped } from './search/searchCommand';
import { choosePython } from './server/choosePython';
import { installServer } from './server/installServer';
import { onInterpreterChange, thisMachine } from './server/machine';
import { PackhoundClient } from './server/packhoundClient';
import { copyDebugInfo } from './status/debugInfo';
import { onIndexReady } from './status/indexReady';
import { showSettingsProblems } from './status/settingsProblems';
import { statusItem } from './status/statusItem';
import { showStatus } from './status/statusList';
import { sayWhatIsNew, showWhatIsNew } from './status/whatIsNew';
import { findRelated, showCalls, showChanges, showTests } from './touchCommands';

/** What other extensions may use. */
export interface PackhoundApi {
  readonly client: PackhoundClient;
  search(query: string, limit?: number): Promise<SearchResults>;
  pack(prompt: string, budget: number): Promise<Pack>;
}

export function activate(context: vscode.ExtensionContext): PackhoundApi {
  const log = vscode.window.createOutputChannel('Packhound', { log: true });
  const folders = { extension: context.extensionPath, storage: context.globalStorageUri.fsPath };
  const client = new PackhoundClient(log, folders, version(context));
  const results = new Results();
  const documents = new ReadOnlyDocuments();
  const pins = new Pins();
  const previews = new Previews();
  const actions = new HitActions(client, results, pins, previews);
  const memory = new QueryMemory(context.workspaceState);
  const packer = new Packer(client, documents, pins, context.workspaceState);
  const tree = new ResultTree(results, pins);
  const proposed = new ProposalDocuments(client, documents);
  const checks = new ProposalChecks(client, proposed);
  const proposals = new Proposals(client, proposed, checks, (proposal) => {
    searchAsTyped(client, results, memory, actions, memory.last, {
      asIf: {
        patch: proposal.id,
        name: titleOf(proposal),
        inPatch: (hit) => proposed.inProposal(proposal, hit),
      },
    });
    return Promise.resolve();
  });
  const marks = new NoteMarks(client, context.extensionUri);
  client.onHover = withLink(results);
  client.withDocument = inDocuments(client, documents);

  const command = (id: string, run: (...args: never[]) => unknown): vscode.Disposable =>
    vscode.commands.registerCommand(`packhound.${id}`, (...args: never[]) =>
      withErrorsShown(() => Promise.resolve().then(() => run(...args))),
    );
  const needsServer = (id: string, run: (...args: never[]) => unknown): vscode.Disposable =>
    command(id, (...args: never[]) =>
      'problem' in client.state ? offerRemedies(client.state.problem) : run(...args),
    );

  const firstSearch = client.onDidSearch(() => {
    firstSearch.dispose();
    void vscode.commands.executeCommand('setContext', 'packhound.hasSearched', true);
  });

  context.subscriptions.push(
    checks,
    log,
    client,
    results,
    documents,
    previews,
    tree,
    marks,
    lineMarks,
    new PinTree(pins, () => tree.dragged),
    onIndexReady(client, () => void results.complete()),
    statusItem(client),
    showSettingsProblems(client),
    client.onProblem((problem) => void offerRemedies(problem)),
    onDidPick((hit) => {
      client.picked(hit);
    }),
    client.onDidSearch((response) => {
      results.setLatest(response);
    }),
    firstSearch,
    needsServer('search', (query?: string) => {
      const text = query ?? (selectedText(previews.userEditor) || memory.last);
      searchAsTyped(client, results, memory, actions, text);
    }),
    needsServer('resume', () => {
      if (!resumeLast()) {
        searchAsTyped(client, results, memory, actions, memory.last);
      }
    }),
    needsServer('savedSearches', () => {
      searchAsTyped(client, results, memory, actions, '');
    }),
    needsServer('about', () => {
      searchAsTyped(client, results, memory, actions, queryHere(previews.userEditor));
    }),
    needsServer('like', () => {
      const like = codeHere(previews.userEditor);
      searchAsTyped(client, results, memory, actions, '', { like });
    }),
    needsServer('tests', () => showTests(client, results, actions)),
    needsServer('grep', (pattern?: string) => {
      grepAsTyped(
        client,
        results,
        actions,
        documents,
        pattern ?? selectedText(previews.userEditor),
      );
    }),
    needsServer('explain', () => explainAtCursor(client, results)),
    needsServer('related', () => findRelated(client, results, actions)),
    needsServer('calls', (place?: PlaceParams) => showCalls(client, results, actions, place)),
    needsServer('changes', () => showChanges(client, results, actions)),
    needsServer('reviewChanges', () => packer.forChanges()),
    needsServer('map', () => packer.forMap()),
    needsServer('addNote', () => addNote(client, marks)),
    needsServer('notes', () => showNotes(client, documents, marks)),
    needsServer('pack', (prompt?: string) => packer.forPrompt(prompt)),
    needsServer('packMore', (prompt?: string) => packer.forPrompt(prompt, true)),
    needsServer('packSelection', () => packer.forPlace(previews.userEditor)),
    command('copyPack', () => packer.copy()),
    needsServer('packPage', () => packer.showPage()),
    command('sendPackToChat', () => packer.sendToChat()),
    command('pins', () => vscode.commands.executeCommand('packhound.pins.focus')),
    command('clearPins', () => {
      pins.clear();
    }),
    command('restart', () => restart(client)),
    needsServer('turnOff', () => turn(false)),
    needsServer('turnOn', () => turn(true)),
    needsServer('rebuild', () => rebuild(client)),
    needsServer('clear', () => clearIndex(client)),
    needsServer('forget', () => forget(client)),
    command('choosePython', () => choosePython(thisMachine(folders))),
    command('installServer', () => installServer(client, folders, version(context))),
    command('showLogs', () => {
      log.show();
    }),
    command('copyDebugInfo', () => copyDebugInfo(client, version(context))),
    command('showStatus', () => showStatus(client)),
    command('whatIsNew', () => showWhatIsNew(context.extensionUri)),
    command('openSettings', () => openSettings()),
    command('clearResults', () => {
      results.clear();
    }),
    needsServer('refreshResults', () => results.refresh()),
    command('resultHistory', () => showHistory(results)),
    command('clearHistory', () => {
      memory.clear();
    }),
    ...proposalCommands(needsServer, proposals),
    ...rowCommands(command, actions, tree),
    ...registerTools(client),
    ...registerMcp(client, version(context)),
    ...followMachine(client, log),
  );
  void client.restart();
  void withErrorsShown(() => sayWhatIsNew(context.globalState, version(context)));
  return {
    client,
    search: (query, limit) => client.search({ query, explain: true, ...(limit ? { limit } : {}) }),
    pack: (prompt, budget) => client.pack({ prompt, budget }),
  };
}

/** One command for each thing that can be done with a proposal; all list them first. */
function proposalCommands(
  command: (id: string, run: () => unknown) => vscode.Disposable,
  proposals: Proposals,
): vscode.Disposable[] {
  const listed = (id: string, title: string, placeholder: string, act: Act): vscode.Disposable =>
    command(id, () => proposals.show(title, placeholder, act));
  const { open, check, accept, reject, discard, search } = proposals;
  return [
    listed('proposals', t('Proposed Changes'), t('Enter shows the changes of all its files'), open),
    listed('checkProposal', t('Check Proposed Change'), t('Enter runs its tests and tools'), check),
    listed('acceptProposal', t('Accept Proposed Change'), t('Enter writes its files'), accept),
    listed('rejectProposal', t('Reject Proposed Change'), t('Enter asks for the reason'), reject),
    listed('discardProposal', t('Discard Proposed Change'), t('Enter deletes it'), discard),
    listed('searchProposal', t('Search as If Applied'), t('Enter searches as if it were'), search),
  ];
}

type Register = (id: string, run: (row?: HitRow, second?: unknown) => unknown) => vscode.Disposable;

/** What can be done with a row of the side bar, or by the keyboard with the selected one. */
function rowCommands(
  command: Register,
  actions: HitActions,
  tree: ResultTree,
): vscode.Disposable[] {
  const pin = (row: HitRow | undefined, rows: unknown, pinned: boolean): void => {
    for (const hit of tree.hitsOf(row, rows)) {
      actions.pin(hit, pinned);
    }
    vscode.window.setStatusBarMessage(actions.pinnedTitle(), 4000);
  };
  // VS Code tells of the row with the focus only where a key selects it, which opens it too.
  let opening: Promise<void> = Promise.resolve();
  const opened = (): Promise<void> => opening.catch(() => undefined);
  return [
    command('result.open', (row, preserveFocus) => {
      opening = openHit(tree.hitOf(row), { preserveFocus: preserveFocus === true });
      return opening;
    }),
    command('result.why', async (row) => {
      await opened();
      await actions.why(tree.hitOf(row));
    }),
    command('result.openToSide', async (row) => {
      await opened();
      await openHit(tree.hitOf(row), { viewColumn: vscode.ViewColumn.Beside });
    }),
    command('result.pin', (row, rows) => {
      pin(row, rows, true);
    }),
    command('result.unpin', (row, rows) => {
      pin(row, rows, false);
    }),
    command('pin.remove', (row, rows) => {
      pin(row, rows, false);
    }),
    command('result.copyReference', (row) => actions.copyReference(tree.hitOf(row))),
    command('result.runTest', (row) => actions.runTest(tree.hitOf(row))),
  ];
}

/** Another program is started when the settings, the trust or the interpreter name another. */
function followMachine(client: PackhoundClient, log: vscode.LogOutputChannel): vscode.Disposable[] {
  const restartIfMoved = (): void => {
    client.restartIfMoved().catch((error: unknown) => {
      log.error(`The server could not be looked for again: ${String(error)}`);
    });
  };
  const interpreter = onInterpreterChange(restartIfMoved);
  return [
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('packhound.server')) {
        restartIfMoved();
      }
    }),
    // The server learns of the trust when it starts.
    vscode.workspace.onDidGrantWorkspaceTrust(() => void client.restart()),
    new vscode.Disposable(
      () =>
        void interpreter.then((subscription) => {
          subscription.dispose();
        }),
    ),
  ];
}

function version(context: vscode.ExtensionContext): string {
  return (context.extension.packageJSON as { version: string }).version;
}
