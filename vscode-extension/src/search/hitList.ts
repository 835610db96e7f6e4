import * as vscode from 'vscode';
import type { HitActions } from '../hitActions';
import { openHit } from '../places';
import { withErrorsShown } from '../problems';
import { keyOf, type Hit } from '../protocol';
import { buttons, dimmed, isHit, keepOrder, laidOut, pinButton, type HitItem } from './hitItem';
import { secondOrder } from './secondOrder';

type Item = vscode.QuickPickItem;

/**
 * When typing rests the first hit is previewed and a second answer asked for. Not at every key: an
 * editor that opens keeps the rows of the next key waiting.
 */
export const REST_MS = 500;

/**
 * Rows in a newer order that VS Code has not shown yet, which is when it makes `awaited` active: till
 * then it speaks of the `older` ones, by their places, and `moved` is the one that the user went to.
 */
interface Reordered {
  older: readonly Item[];
  awaited: Item;
  moved?: Item | undefined;
}

/** A QuickPick of hits: the active one is previewed, Enter opens it, three buttons a row. */
export class HitList {
  readonly pick: vscode.QuickPick<Item> = vscode.window.createQuickPick();
  private firstRow: Item | undefined;
  private previewed: Item | undefined;
  private pause: NodeJS.Timeout | undefined;
  private isLeaving = false;
  private chosen: Hit | undefined;
  private reordered: Reordered | undefined;
  private isOver = false;
  /** VS Code has made the first of the newest rows active; until then it may speak of older ones. */
  private isShown = false;
  private readonly closed = new vscode.EventEmitter<Hit | undefined>();
  /** Fires once and at once, with the hit that was opened or nothing, when the list goes away. */
  readonly onDidClose = this.closed.event;

  constructor(private readonly actions: HitActions) {
    keepOrder(this.pick);
    this.pick.onDidChangeActive(([active]) => {
      this.onActive(active);
    });
    this.pick.onDidAccept(() => {
      this.accept(this.active);
    });
    this.pick.onDidTriggerItemButton(({ item, button }) => {
      this.press(item, button);
    });
    this.pick.onDidHide(() => {
      this.end();
    });
  }

  /** New rows. The hit of this key becomes active, else the first one, below any notes. */
  setRows(rows: Item[], key?: string): void {
    if (this.isOver) {
      return;
    }
    clearTimeout(this.pause);
    // VS Code lays the list out again for each property that is set.
    if (this.pick.keepScrollPosition) {
      this.pick.keepScrollPosition = false;
    }
    const hits = rows.filter(isHit);
    this.firstRow = rowOf(rows, key) ?? hits[0] ?? rows[0];
    this.isShown = false;
    this.reordered = undefined;
    this.pick.items = rows;
    this.pick.activeItems = this.firstRow ? [this.firstRow] : [];
    this.onMove(this.firstRow);
  }

  /** New rows if they say something else. A hit that is active stays so, in its row. */
  reorder(rows: Item[]): boolean {
    const [active] = this.pick.activeItems;
    const { items } = this.pick;
    const reordered = secondOrder(items, rows, active);
    if (reordered && isHit(active)) {
      this.reordered = { older: items, awaited: active };
      this.replace(active, laidOut(reordered), reordered.indexOf(active));
    } else if (reordered) {
      this.setRows(reordered);
    }
    return reordered !== undefined;
  }

  /** The rows answer an older text: they look so, and go on doing what they do. */
  dim(): void {
    const { items, activeItems } = this.pick;
    const [active] = activeItems;
    this.replace(active, items.map(dimmed), active ? items.indexOf(active) : -1);
  }

  /** Other rows, of which the one at this place is the active row. */
  private replace(active: Item | undefined, rows: Item[], at: number): void {
    const same = rows[at];
    this.firstRow = this.firstRow === active ? same : this.firstRow;
    this.previewed = this.previewed === active ? same : this.previewed;
    if (this.reordered && same) {
      this.reordered.awaited = same;
    }
    this.pick.keepScrollPosition = true;
    this.pick.items = rows;
    this.pick.activeItems = same ? [same] : [];
  }

  show(): void {
    this.pick.show();
  }

  /** The row that the user sees as the active one. */
  get active(): Item | undefined {
    return this.reordered?.moved ?? this.pick.activeItems[0];
  }

  /** Key of the hit that is active, or was opened. */
  get activeKey(): string | undefined {
    const { active } = this;
    return isHit(active) ? keyOf(active.hit) : undefined;
  }

  private onActive(told: Item | undefined): void {
    const { items } = this.pick;
    if (this.reordered && told !== this.reordered.awaited) {
      const { older } = this.reordered;
      // VS Code also makes the first row active, for a moment, when it shows the newer ones.
      const at = told ? items.indexOf(told) : 0;
      this.reordered.moved = at > 0 ? older[at] : this.reordered.moved;
      return;
    }
    const moved = this.reordered?.moved;
    this.reordered = undefined;
    this.isShown ||= told === this.firstRow;
    const same = isHit(moved) ? rowOf(items, keyOf(moved.hit)) : undefined;
    if (same) {
      this.pick.activeItems = [same];
    }
    this.onMove(same ?? told);
  }

  private onMove(active: Item | undefined): void {
    if (this.isOver || this.isLeaving || !isHit(active) || active === this.previewed) {
      return;
    }
    clearTimeout(this.pause);
    const show = (): void => {
      this.previewed = active;
      void this.actions.previews.show(active.hit);
    };
    if (active === this.firstRow || !this.isShown) {
      this.pause = setTimeout(show, REST_MS);
    } else {
      show();
    }
  }

  private accept(item: Item | undefined): void {
    if (!isHit(item)) {
      return;
    }
    void this.leave(() => openHit(item.hit), item.hit);
  }

  private press(item: Item, button: vscode.QuickInputButton): void {
    if (!isHit(item)) {
      return;
    }
    if (button === buttons.pin || button === buttons.unpin) {
      this.pin(item, button === buttons.pin);
      return;
    }
    void this.leave(
      () =>
        button === buttons.side
          ? openHit(item.hit, { viewColumn: vscode.ViewColumn.Beside })
          : this.actions.why(item.hit),
      item.hit,
    );
  }

  private pin(item: HitItem, isPinned: boolean): void {
    this.actions.pin(item.hit, isPinned);
    this.pick.title = this.actions.pinnedTitle();
    const others = (item.buttons ?? []).slice(0, -1);
    item.buttons = [...others, pinButton(item.hit, this.actions.pins)];
    this.previewed = item;
    this.pick.keepScrollPosition = true;
    this.pick.items = [...this.pick.items];
    this.pick.activeItems = [item];
  }

  /**
   * Opens something in place of the list, or the hit that was chosen. The list stays until that has
   * the focus, so that no key goes to another editor.
   */
  async leave(open: () => Promise<void>, hit?: Hit): Promise<void> {
    if (this.isLeaving) {
      return;
    }
    this.isLeaving = true;
    this.chosen = hit;
    clearTimeout(this.pause);
    await withErrorsShown(async () => {
      try {
        // Else it would open in the place of the previews.
        await this.actions.previews.end();
        await open();
      } finally {
        this.pick.hide();
      }
    });
  }

  private end(): void {
    if (this.isOver) {
      return;
    }
    this.isOver = true;
    clearTimeout(this.pause);
    try {
      this.closed.fire(this.chosen);
    } finally {
      void this.actions.previews.end();
      this.closed.dispose();
      this.pick.dispose();
    }
  }
}

function rowOf(rows: readonly Item[], key: string | undefined): HitItem | undefined {
  return rows.filter(isHit).find(({ hit }) => keyOf(hit) === key);
}
