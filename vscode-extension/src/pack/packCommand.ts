import * as vscode from 'vscode';
import { askText, choose } from '../boxes';
import { focus } from '../places';
import type { Pack } from '../protocol';
import type { ReadOnlyDocuments } from '../readOnlyDocuments';
import type { PackhoundClient } from '../server/packhoundClient';
import { LEFT_OUT, packDocument, readBudget, WHY_THESE } from './packDocument';
import type { Pins } from './pins';

const BUDGET_KEY = 'packhound.budget';
const CONVERSATION_KEY = 'packhound.conversation';
const DEFAULT_BUDGET = 8000;
/** The server packs exactly the changes for this prompt. */
const REVIEW = 'Review my uncommitted changes';
const CHAT_COMMAND = 'workbench.action.chat.open';
const CHOICES = [4000, 8000, 16_000, 32_000];

/** Packs context for a prompt, shows it, and hands it on to the clipboard or to chat. */
export class Packer {
  private packed: Pack | undefined;

  constructor(
    private readonly client: PackhoundClient,
    private readonly documents: ReadOnlyDocuments,
    private readonly pins: Pins,
    private readonly state: vscode.Memento,
  ) {}

  /** Packs for a prompt; `goOn` leaves out what the packs of the last conversation have. */
  async forPrompt(given = '', goOn = false): Promise<void> {
    const prompt = await askText({
      title: 'Packhound: Pack Context for Prompt',
      prompt: this.promptText(),
      placeholder: 'What is to be done? Paths, identifiers and stack traces count more.',
      value: given,
      ignoreFocusOut: true,
    });
    const budget = prompt?.trim() ? await this.askBudget() : undefined;
    if (prompt && budget) {
      await this.pack(prompt, budget, goOn);
    }
  }

  async forSelection(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const selected = editor?.document.getText(editor.selection).trim();
    if (!selected) {
      throw new Error('Select the code or text to pack context for first; then ask again.');
    }
    const budget = await this.askBudget();
    if (budget) {
      await this.pack(selected, budget);
    }
  }

  /** Packs what is not committed, with what calls it. */
  async forChanges(): Promise<void> {
    const budget = await this.askBudget();
    if (budget) {
      await this.pack(REVIEW, budget);
    }
  }

  async copy(): Promise<void> {
    const { text, tokens } = this.newest();
    await vscode.env.clipboard.writeText(text);
    vscode.window.setStatusBarMessage(`Context pack copied: ${tokens} tokens`, 4000);
  }

  async sendToChat(): Promise<void> {
    const { text } = this.newest();
    if (!(await hasChat())) {
      throw new Error('This editor has no chat. Copy the context pack instead.');
    }
    await vscode.commands.executeCommand(CHAT_COMMAND, { query: text, isPartialQuery: true });
  }

  private newest(): Pack {
    if (!this.packed) {
      throw new Error(
        'There is no context pack yet. Make one with "Packhound: Pack Context for Prompt".',
      );
    }
    return this.packed;
  }

  private promptText(): string {
    const { count } = this.pins;
    return count === 0
      ? 'The task, in your words.'
      : `The task, in your words. Added so far: ${count}.`;
  }

  private async pack(prompt: string, budget: number, goOn = false): Promise<void> {
    const cursor = focus();
    const conversation = await this.conversation(goOn);
    const pack = await vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: 'Packhound: packing context',
        cancellable: true,
      },
      (_, token) =>
        this.client.pack(
          {
            prompt,
            budget,
            conversation,
            ...(cursor ? { focus: cursor } : {}),
            ...(this.pins.count > 0 ? { pinned: this.pins.runs } : {}),
          },
          token,
        ),
    );
    this.packed = pack;
    await vscode.commands.executeCommand('setContext', 'packhound.hasPack', true);
    await vscode.commands.executeCommand('setContext', 'packhound.hasChat', await hasChat());
    const path = cursor && vscode.workspace.asRelativePath(vscode.Uri.parse(cursor.uri), false);
    const text = packDocument(pack, prompt, path);
    await foldReasons(await this.documents.show('Context pack', text, 'markdown'));
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
    const other = 'Another number ...';
    const amounts = [last, ...CHOICES.filter((choice) => choice !== last)];
    const labels = [...amounts.map((amount) => `${amount.toLocaleString('en-US')} tokens`), other];
    const choice = await choose(
      labels.map((label) => ({ label })),
      { title: 'Packhound: how many tokens may the pack have?', ignoreFocusOut: true },
    );
    const budget =
      choice?.label === other
        ? await askNumber()
        : readBudget(choice?.label.replace(' tokens', '') ?? '');
    if (budget) {
      await this.state.update(BUDGET_KEY, budget);
    }
    return budget;
  }
}

/**
 * Folds the parts below the code, by hand as it were: which ranges extensions know of by now, and
 * that a part of one line has none, so that what is around it would be folded, does not matter then.
 */
async function foldReasons(editor: vscode.TextEditor): Promise<void> {
  const lines = editor.document.getText().trimEnd().split('\n');
  const [why, leftOut] = [WHY_THESE, LEFT_OUT].map((heading) =>
    lines.findLastIndex((line) => line.startsWith(heading)),
  ) as [number, number];
  editor.selections = [
    new vscode.Selection(why, 0, leftOut - 1, 0),
    new vscode.Selection(leftOut, 0, lines.length, 0),
  ];
  await vscode.commands.executeCommand('editor.createFoldingRangeFromSelection');
  const top = new vscode.Position(0, 0);
  editor.selection = new vscode.Selection(top, top);
  editor.revealRange(editor.selection);
}

async function askNumber(): Promise<number | undefined> {
  const text = await askText({
    title: 'Packhound: how many tokens may the pack have?',
    placeholder: '12000 or 12k',
    ignoreFocusOut: true,
    problem: (typed) =>
      readBudget(typed) ? undefined : 'Write a whole number of tokens, for example 12000 or 12k.',
  });
  return text ? readBudget(text) : undefined;
}

async function hasChat(): Promise<boolean> {
  return (await vscode.commands.getCommands(true)).includes(CHAT_COMMAND);
}
