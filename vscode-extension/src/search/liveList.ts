import { setTimeout as rest } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { HitActions } from '../hitActions';
import { problemText } from '../problems';
import type { KeptResults, Results } from '../results/results';
import type { PackhoundClient } from '../server/packhoundClient';
import { isPartial, onIndexReady } from '../status/indexReady';
import { noteItem } from './hitItem';
import { HitList } from './hitList';

type Item = vscode.QuickPickItem;

export const toSideBar: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('list-tree'),
  tooltip: 'Keep these results in the side bar',
};

const filter: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('filter'),
  tooltip: 'Choose what to search: code, notes, commits, ...',
};

/** A second answer takes time: it is asked for when typing rests, not at every key. */
const REST_MS = 500;

/** Rows, and what the side bar can keep of them. */
export interface Answer {
  rows: Item[];
  kept: KeptResults;
}

/** A row that types a query: one of the last, or one with other filters. */
export interface QueryItem extends vscode.QuickPickItem {
  query: string;
}

/** What is typed and what is asked; `onClose` learns whether a hit was opened. */
export interface Question {
  title: string;
  placeholder: string;
  ask: (text: string, token: vscode.CancellationToken) => Promise<Answer>;
  /** Asks for a better order of the hits, which takes longer; undefined where there is none. */
  refine?: (text: string, token: vscode.CancellationToken) => Promise<Answer | undefined>;
  rowsWithoutText: () => Item[];
  /** Asks what shall be found, and begins again; the list is gone by then. */
  narrow?: (text: string) => void;
  onClose: (text: string, answered: KeptResults | undefined) => void;
}

/** A list that asks anew at every key; typing on cancels the last question. */
export class LiveList {
  private readonly list: HitList;
  private pending: vscode.CancellationTokenSource | undefined;
  private last: KeptResults | undefined;

  constructor(
    client: PackhoundClient,
    private readonly results: Results,
    actions: HitActions,
    private readonly question: Question,
  ) {
    this.list = new HitList(actions);
    const { pick } = this.list;
    pick.title = question.title;
    pick.placeholder = question.placeholder;
    pick.buttons = question.narrow ? [filter, toSideBar] : [toSideBar];
    pick.onDidChangeValue((value) => {
      this.typed(value);
    });
    pick.onDidTriggerButton((button) => {
      if (button === filter) {
        this.question.narrow?.(pick.value);
      } else {
        this.keep();
      }
    });
    pick.onDidAccept(() => {
      this.takeQuery(pick.activeItems[0]);
    });
    const following = onIndexReady(client, () => {
      if (this.last && isPartial(this.last.results)) {
        this.typed(pick.value);
      }
    });
    this.list.onDidClose((opened) => {
      following.dispose();
      this.pending?.cancel();
      this.closed(opened !== undefined);
    });
  }

  /** Begins with `text`, which VS Code selects so that typing replaces it. */
  show(text: string): void {
    this.list.pick.value = text;
    this.list.show();
    this.typed(text);
  }

  private typed(text: string): void {
    this.pending?.cancel();
    const { pick } = this.list;
    pick.title = this.question.title;
    pick.busy = text.trim() !== '';
    if (pick.busy) {
      void this.ask(text);
    } else {
      this.list.setRows(this.question.rowsWithoutText());
    }
  }

  private async ask(text: string): Promise<void> {
    const mine = new vscode.CancellationTokenSource();
    this.pending = mine;
    try {
      const answer = await this.question.ask(text, mine.token);
      if (!mine.token.isCancellationRequested) {
        this.last = answer.kept;
        this.list.setRows(answer.rows);
        this.list.pick.busy = false;
        await this.refine(text, mine.token);
      }
    } catch (error) {
      if (!mine.token.isCancellationRequested) {
        this.list.setRows([noteItem(problemText(error), 'error')]);
      }
    } finally {
      if (this.pending === mine) {
        this.list.pick.busy = false;
      }
      mine.dispose();
    }
  }

  /** Where the second answer fails or comes too late, the first one stands. */
  private async refine(text: string, token: vscode.CancellationToken): Promise<void> {
    const isOver = (): boolean => token.isCancellationRequested;
    await rest(REST_MS);
    if (isOver()) {
      return;
    }
    const better = await this.question.refine?.(text, token).catch(() => undefined);
    if (better && !isOver() && this.list.reorder(better.rows)) {
      this.last = better.kept;
    }
  }

  private takeQuery(item: Item | undefined): void {
    if (item && 'query' in item) {
      const { query } = item as QueryItem;
      this.list.pick.value = query;
      this.typed(query);
    }
  }

  private keep(): void {
    if (this.last) {
      this.results.keep(this.last);
      this.question.onClose(this.list.pick.value, this.last);
      void vscode.commands.executeCommand('packhound.results.focus');
    }
  }

  private closed(opened: boolean): void {
    const kept = opened ? this.last : undefined;
    if (kept) {
      this.results.keep(kept);
    }
    this.question.onClose(this.list.pick.value, kept);
  }
}
