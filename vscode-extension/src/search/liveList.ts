import { setTimeout as rest } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { HitActions } from '../hitActions';
import { problemText } from '../problems';
import type { ResultSet, Results } from '../results/results';
import type { PackhoundClient } from '../server/packhoundClient';
import { isPartial, onIndexReady } from '../status/indexReady';
import { noteItem } from './hitItem';
import { HitList, REST_MS } from './hitList';

type Item = vscode.QuickPickItem;

export const toSideBar: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('list-tree'),
  tooltip: 'Keep these results in the side bar',
};

const filter: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('filter'),
  tooltip: 'Choose what to search: code, notes, commits, ...',
};

/** An answer that takes longer is shown to be on its way; each property that is set costs a redraw. */
const BUSY_MS = 150;

/** Rows, and what the side bar can keep of them. */
export interface Answer {
  rows: Item[];
  resultSet: ResultSet;
}

/** A row that types a query: one of the last, or one with other filters. */
export interface QueryItem extends vscode.QuickPickItem {
  query: string;
}

/** A list to type into; `onClose` gets the results of which a hit was opened. */
export interface Question {
  title: string;
  placeholder: string;
  ask: (text: string, token: vscode.CancellationToken) => Promise<Answer>;
  /** Asks for a better order of the hits, which takes longer; undefined where there is none. */
  refine?: (text: string, token: vscode.CancellationToken) => Promise<Answer | undefined>;
  rowsWithoutText: () => Item[];
  /** Asks what shall be found, and begins again; the list is gone by then. */
  narrow?: (text: string) => void;
  onClose: (text: string, opened: ResultSet | undefined) => void;
}

/** A list that asks anew at every key; typing on cancels the last question. */
export class LiveList {
  private readonly list: HitList;
  private pending: vscode.CancellationTokenSource | undefined;
  private last: ResultSet | undefined;

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
      this.onType(value);
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
    const subscription = onIndexReady(client, () => {
      if (this.last && isPartial(this.last.results)) {
        this.onType(pick.value);
      }
    });
    this.list.onDidClose((opened) => {
      subscription.dispose();
      this.pending?.cancel();
      this.onClose(opened !== undefined);
    });
  }

  /** Begins with `text`, which VS Code selects so that typing replaces it. */
  show(text: string): void {
    this.list.pick.value = text;
    this.list.show();
    this.onType(text);
  }

  private onType(text: string): void {
    this.pending?.cancel();
    const { pick } = this.list;
    if (pick.title !== this.question.title) {
      pick.title = this.question.title;
    }
    if (text.trim()) {
      void this.ask(text);
    } else {
      this.showBusy(false);
      this.list.setRows(this.question.rowsWithoutText());
    }
  }

  private async ask(text: string): Promise<void> {
    const request = new vscode.CancellationTokenSource();
    this.pending = request;
    const slow = setTimeout(() => {
      this.showBusy(true);
    }, BUSY_MS);
    try {
      const answer = await this.question.ask(text, request.token);
      if (!request.token.isCancellationRequested) {
        this.last = answer.resultSet;
        this.list.setRows(answer.rows);
        clearTimeout(slow);
        this.showBusy(false);
        await this.refine(text, request.token);
      }
    } catch (error) {
      if (!request.token.isCancellationRequested) {
        this.list.setRows([noteItem(problemText(error), 'error')]);
      }
    } finally {
      clearTimeout(slow);
      if (this.pending === request) {
        this.showBusy(false);
      }
      request.dispose();
    }
  }

  private showBusy(isBusy: boolean): void {
    if (this.list.pick.busy !== isBusy) {
      this.list.pick.busy = isBusy;
    }
  }

  /** Where the second answer fails or comes too late, the first one stands. */
  private async refine(text: string, token: vscode.CancellationToken): Promise<void> {
    const isOver = (): boolean => token.isCancellationRequested;
    await rest(REST_MS);
    if (isOver()) {
      return;
    }
    const refined = await this.question.refine?.(text, token).catch(() => undefined);
    if (refined && !isOver() && this.list.reorder(refined.rows)) {
      this.last = refined.resultSet;
    }
  }

  private takeQuery(item: Item | undefined): void {
    if (item && 'query' in item) {
      const { query } = item as QueryItem;
      this.list.pick.value = query;
      this.onType(query);
    }
  }

  private keep(): void {
    if (this.last) {
      this.results.keep(this.last);
      this.question.onClose(this.list.pick.value, this.last);
      void vscode.commands.executeCommand('packhound.results.focus');
    }
  }

  private onClose(isOpened: boolean): void {
    const resultSet = isOpened ? this.last : undefined;
    if (resultSet) {
      this.results.keep(resultSet);
    }
    this.question.onClose(this.list.pick.value, resultSet);
  }
}
