import { t } from '@vscode/l10n';
import { setTimeout as rest } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { HitActions } from '../hitActions';
import { problemText } from '../problems';
import type { ResultSet, Results } from '../results/results';
import type { PackhoundClient } from '../server/packhoundClient';
import { isPartial, onIndexReady } from '../status/indexReady';
import { statusText } from '../status/statusText';
import { briefProblem } from './briefProblem';
import { isHit, noteItem } from './hitItem';
import { HitList, REST_MS } from './hitList';

type Item = vscode.QuickPickItem;

export const toSideBar: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('list-tree'),
  tooltip: t('Keep these results in the side bar'),
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
  /** What the query alone does not say. */
  facet?: string;
}

/** Pressed with the text that is there; true where title and rows are to be made anew. */
interface PressButton extends vscode.QuickInputButton {
  press: (text: string) => boolean;
}

/** Opens something in place of the list. */
interface OpenButton extends vscode.QuickInputButton {
  open: (text: string) => Promise<void>;
}

type Button = PressButton | OpenButton;

/** A list to type into; `onClose` gets the results of which a hit was opened. */
export interface Question {
  title: string;
  placeholder: string;
  /** There is an answer before anything is typed. */
  asksWithoutText?: boolean;
  ask: (text: string, token: vscode.CancellationToken, facet?: string) => Promise<Answer>;
  /** Asks for more hits in a better order, which takes longer; undefined where there can be none. */
  refine?: (text: string, token: vscode.CancellationToken) => Promise<Answer | undefined>;
  rowsWithoutText: () => Item[];
  buttons: Button[];
  onClose: (text: string, opened: ResultSet | undefined) => void;
}

let goOn: (() => void) | undefined;

/** Opens the last list that was typed into again, at its row; false where there was none. */
export function resumeLast(): boolean {
  goOn?.();
  return goOn !== undefined;
}

/** A list that asks anew at every key; typing on cancels the last question. */
export class LiveList {
  private readonly list: HitList;
  private pending: vscode.CancellationTokenSource | undefined;
  private last: ResultSet | undefined;
  /** What it began with; VS Code tells of that text as if it were typed. */
  private resumed: { text: string; key: string | undefined } | undefined;

  constructor(
    private readonly client: PackhoundClient,
    private readonly results: Results,
    private readonly actions: HitActions,
    private readonly question: Question,
  ) {
    this.list = new HitList(actions);
    const { pick } = this.list;
    pick.placeholder = question.placeholder;
    this.dress();
    pick.onDidChangeValue((value) => {
      this.onType(value);
    });
    pick.onDidTriggerButton((button) => {
      const pressed = this.question.buttons.find((each) => each === button);
      if (!pressed) {
        this.keep();
      } else if ('open' in pressed) {
        const { value } = pick;
        void this.list.leave(() => pressed.open(value));
      } else if (pressed.press(pick.value)) {
        this.dress();
        this.onType(pick.value);
      }
    });
    pick.onDidAccept(() => {
      this.takeQuery(this.list.active);
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

  private dress(): void {
    this.list.pick.title = this.question.title;
    this.list.pick.buttons = [...this.question.buttons, toSideBar];
  }

  /** Begins with `text`, which VS Code selects so that typing replaces it. */
  show(text: string, key?: string): void {
    this.resumed = { text, key };
    this.list.pick.value = text;
    this.list.show();
    this.onType(text);
  }

  private onType(text: string, facet?: string): void {
    this.pending?.cancel();
    const { pick } = this.list;
    if (pick.title !== this.question.title) {
      pick.title = this.question.title;
    }
    if (this.isAsked(text)) {
      void this.ask(text, facet);
    } else {
      this.showBusy(false);
      this.list.setRows(this.question.rowsWithoutText());
    }
  }

  private isAsked(text: string): boolean {
    return this.question.asksWithoutText === true || text.trim() !== '';
  }

  private async ask(text: string, facet?: string): Promise<void> {
    const request = new vscode.CancellationTokenSource();
    this.pending = request;
    const slow = setTimeout(() => {
      this.showBusy(true);
      this.sayWhatHappens();
    }, BUSY_MS);
    try {
      const answer = await this.question.ask(text, request.token, facet);
      if (!request.token.isCancellationRequested) {
        this.last = answer.resultSet;
        const { resumed } = this;
        this.list.setRows(answer.rows, text === resumed?.text ? resumed.key : undefined);
        clearTimeout(slow);
        this.showBusy(false);
        if (!facet) {
          await this.refine(text, request.token);
        }
      }
    } catch (error) {
      if (!request.token.isCancellationRequested) {
        this.list.setRows([noteItem(briefProblem(problemText(error)), 'error')]);
      }
    } finally {
      clearTimeout(slow);
      if (this.pending === request) {
        this.showBusy(false);
      }
      request.dispose();
    }
  }

  /** Rows of an older text are dimmed; where there are none, one says what the server does. */
  private sayWhatHappens(): void {
    if (this.list.pick.items.some(isHit)) {
      this.list.dim();
    } else if (this.client.state.kind !== 'running') {
      this.list.setRows([noteItem(statusText(this.client.state).sentence)]);
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
      const { query, facet } = item as QueryItem;
      this.list.pick.value = query;
      this.onType(query, facet);
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
    const { client, results, actions, question } = this;
    const [text, key] = [this.list.pick.value, this.list.activeKey];
    if (this.isAsked(text)) {
      goOn = () => {
        new LiveList(client, results, actions, question).show(text, key);
      };
    }
    const resultSet = isOpened ? this.last : undefined;
    if (resultSet) {
      this.results.keep(resultSet);
    }
    question.onClose(text, resultSet);
  }
}
