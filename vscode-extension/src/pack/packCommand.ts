import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { askText, choose, chooseMany } from '../boxes';
import { numeral } from '../numeral';
import { focus, queryHere } from '../places';
import type { Pack, PackParams } from '../protocol';
import { parts, type ReadOnlyDocuments } from '../readOnlyDocuments';
import type { PackhoundClient } from '../server/packhoundClient';
import { filesOf, packDocument, readBudget, WHY_THESE } from './packDocument';
import { rowsByFolder, tickedRows, type PackRow } from './packFolders';
import { showPackPage } from './packPage';
import type { Pins } from './pins';

const BUDGET_KEY = 'packhound.budget';
const CONVERSATION_KEY = 'packhound.conversation';
const DEFAULT_BUDGET = 8000;
/** The server packs exactly the changes for this prompt. */
const REVIEW = 'Review my uncommitted changes';
const MAP = t('The most used definitions, by file');
const CHAT_COMMAND = 'workbench.action.chat.open';
/** No blank, which a row would lose. */
const INDENT = '\u2003\u2003';
const RANGE_TRIES = 30;
const RANGE_PAUSE_MS = 100;
const CHOICES = [4000, 8000, 16_000, 32_000];

/** Packs context for a prompt, shows it, and hands it on to the clipboard or to chat. */
export class Packer {
  private packed: Pack | undefined;
  private prompt = '';

  constructor(
    private readonly client: PackhoundClient,
    private readonly documents: ReadOnlyDocuments,
    private readonly pins: Pins,
    private readonly state: vscode.Memento,
  ) {}

  /** Packs for a prompt; `goOn` leaves out what the packs of the last conversation have. */
  async forPrompt(given = '', goOn = false): Promise<void> {
    const prompt = await askText({
      title: t('Packhound: Pack Context for Prompt'),
      prompt: this.promptText(),
      placeholder: t('What is to be done? Paths, identifiers and stack traces count more.'),
      value: given,
      ignoreFocusOut: true,
    });
    const budget = prompt?.trim() ? await this.askBudget() : undefined;
    if (prompt && budget) {
      await this.pack(prompt, budget, goOn);
    }
  }

  /** Packs for what is at the cursor, which the user may say more of. */
  async forPlace(editor: vscode.TextEditor | undefined): Promise<void> {
    const here = queryHere(editor);
    if (!here) {
      throw new Error(t('Put the cursor on code or select some first; then ask again.'));
    }
    await this.forPrompt(here);
  }

  /** Packs what is not committed, with what calls it. */
  async forChanges(): Promise<void> {
    const budget = await this.askBudget();
    if (budget) {
      await this.pack(REVIEW, budget);
    }
  }

  /** Shows the signatures of the most used definitions, those near the open files first. */
  async forMap(): Promise<void> {
    const budget = await this.askBudget();
    if (budget) {
      await this.pack('', budget);
    }
  }

  async copy(): Promise<void> {
    const { text, tokens } = this.newest();
    await vscode.env.clipboard.writeText(text);
    vscode.window.setStatusBarMessage(t('Context pack copied: {0} tokens', tokens), 4000);
  }

  async showPage(): Promise<void> {
    await showPackPage(this.client, this.newest(), this.prompt);
  }

  async sendToChat(): Promise<void> {
    const { text } = this.newest();
    if (!(await hasChat())) {
      throw new Error(t('This editor has no chat. Copy the context pack instead.'));
    }
    await vscode.commands.executeCommand(CHAT_COMMAND, { query: text, isPartialQuery: true });
  }

  private newest(): Pack {
    if (!this.packed) {
      throw new Error(
        t(
          'There is no context pack yet. Make one with "{0}".',
          t('Packhound: Pack Context for Prompt'),
        ),
      );
    }
    return this.packed;
  }

  private promptText(): string {
    const { count } = this.pins;
    return count === 0
      ? t('The task, in your words.')
      : t('The task, in your words. Added so far: {0}.', count);
  }

  private async pack(prompt: string, budget: number, goOn = false): Promise<void> {
    const cursor = focus();
    const params: PackParams = {
      ...(prompt ? { prompt } : { map: true }),
      budget,
      conversation: await this.conversation(goOn),
      ...(cursor ? { focus: cursor } : {}),
      ...(this.pins.count > 0 ? { pinned: this.pins.runs } : {}),
    };
    const whole = await this.ask(params);
    // What goes on a conversation was sent by the first answer, and would not be sent again.
    const pack = goOn || !prompt ? whole : await this.narrowed(whole, params);
    if (!pack) {
      return;
    }
    this.packed = pack;
    this.prompt = prompt;
    await vscode.commands.executeCommand('setContext', 'packhound.hasPack', true);
    await vscode.commands.executeCommand('setContext', 'packhound.hasChat', await hasChat());
    const text = packDocument(pack, prompt || MAP);
    await foldReasons(await this.documents.show(t('Context pack'), text, 'markdown'));
  }

  /** The pack without the files that the user leaves out, if any; undefined where he gives it up. */
  private async narrowed(pack: Pack, params: PackParams): Promise<Pack | undefined> {
    const files = filesOf(pack);
    if (files.length === 0) {
      return pack;
    }
    const items = rowsByFolder(files).map((row) =>
      // The same objects, for each file knows its folder.
      Object.assign(row, {
        label: row.file ? `${INDENT}${row.label}` : `$(folder) ${row.label}`,
        description: t('{0} tokens', numeral(row.tokens)),
        ...(row.file && { detail: `${INDENT}${row.file.reason}` }),
      }),
    );
    // The headings between the files have tokens too.
    const rest = pack.tokens - files.reduce((sum, { tokens }) => sum + tokens, 0);
    const count = (ticked: readonly PackRow[]): number =>
      ticked.reduce((sum, { file }) => sum + (file?.tokens ?? 0), rest);
    const titleOf = (ticked: readonly PackRow[]): string =>
      t('Packhound: {0} of {1} tokens', numeral(count(ticked)), numeral(pack.budget));
    const ticked = await chooseMany(items, items, {
      ...{ title: titleOf(items), titleOf, ignoreFocusOut: true },
      corrected: (before, selected) => tickedRows(items, before, selected),
      placeholder: t('Untick what the pack shall not have; Enter makes it'),
    });
    if (!ticked || ticked.length === items.length) {
      return ticked && pack;
    }
    const leftOut = items
      .filter((item) => !ticked.includes(item))
      .flatMap(({ file }) => (file ? [file.path] : []));
    const again = await this.ask({
      ...params,
      // In the place of what is left out nothing else shall come.
      ...{ budget: Math.max(1, count(ticked)), conversation: await this.conversation(false) },
      exclude: leftOut.map((path) => `/${path.replace(/[[\]*?!\\]/g, '\\$&')}`),
    });
    // It counts the first answer, which nobody has seen.
    delete again.total;
    return { ...again, budget: pack.budget };
  }

  private async ask(params: PackParams): Promise<Pack> {
    return vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: t('Packhound: packing context'),
        cancellable: true,
      },
      (_, token) => this.client.pack(params, token),
    );
  }

  /** The name of a new conversation, or of the last one, which outlives the window. */
  private async conversation(goOn: boolean): Promise<string> {
    const last = goOn ? this.state.get<string>(CONVERSATION_KEY) : undefined;
    const name = last ?? `vscode-${Date.now().toString(36)}`;
    await this.state.update(CONVERSATION_KEY, name);
    return name;
  }

  private async askBudget(): Promise<number | undefined> {
    const last = this.state.get(BUDGET_KEY, DEFAULT_BUDGET);
    const other = t('Another number …');
    const amounts = [last, ...CHOICES.filter((choice) => choice !== last)];
    const items: (vscode.QuickPickItem & { amount?: number })[] = [
      ...amounts.map((amount) => ({ label: t('{0} tokens', numeral(amount)), amount })),
      { label: other },
    ];
    const title = t('Packhound: how many tokens may the pack have?');
    const choice = await choose(items, { title, ignoreFocusOut: true });
    const budget = choice && (choice.amount ?? (await askNumber()));
    if (budget) {
      await this.state.update(BUDGET_KEY, budget);
    }
    return budget;
  }
}

/**
 * Folds the parts below the code in the active editor. A part of one line is none: in its place the
 * whole document would be folded.
 */
async function foldReasons({ document }: vscode.TextEditor): Promise<void> {
  await markdownRanges(document.uri);
  const lines = document.getText().split('\n');
  const below = lines.findLastIndex((line) => line.startsWith(WHY_THESE));
  const selectionLines = parts(document.getText())
    .map(({ start }) => start)
    .filter((start) => start >= below);
  const fold = { selectionLines, direction: 'down', levels: 1 };
  await vscode.commands.executeCommand('editor.fold', fold);
}

/**
 * Waits until VS Code's own ranges of a Markdown text are there: an editor that gets ranges of
 * another provider while it collects them begins anew, and forgets what it was told to fold.
 */
async function markdownRanges(uri: vscode.Uri): Promise<void> {
  for (let tries = 0; tries < RANGE_TRIES; tries += 1) {
    const ranges = await vscode.commands.executeCommand<vscode.FoldingRange[]>(
      'vscode.executeFoldingRangeProvider',
      uri,
    );
    if (ranges.some(({ start }) => start === 0)) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, RANGE_PAUSE_MS));
  }
}

async function askNumber(): Promise<number | undefined> {
  const text = await askText({
    title: t('Packhound: how many tokens may the pack have?'),
    placeholder: t('12000 or 12k'),
    ignoreFocusOut: true,
    problem: (typed) =>
      readBudget(typed)
        ? undefined
        : t('Write a whole number of tokens, for example 12000 or 12k.'),
  });
  return text ? readBudget(text) : undefined;
}

async function hasChat(): Promise<boolean> {
  return (await vscode.commands.getCommands(true)).includes(CHAT_COMMAND);
}
