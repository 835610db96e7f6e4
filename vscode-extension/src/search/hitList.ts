import * as vscode from 'vscode';
import type { HitActions } from '../hitActions';
import { openHit } from '../places';
import type { Hit } from '../protocol';
import { buttons, isHit, keepOrder, pinButton, type HitItem } from './hitItem';
import { Preview } from './preview';
import { secondOrder } from './secondOrder';

type Item = vscode.QuickPickItem;

/**
 * When typing rests the first hit is previewed and a second answer asked for. Not at every key: an
 * editor that opens keeps the rows of the next key waiting.
 */
export const REST_MS = 500;

/** A QuickPick of hits: the active one is previewed, Enter opens it, three buttons a row. */
export class HitList implements vscode.Disposable {
  readonly pick: vscode.QuickPick<Item> = vscode.window.createQuickPick();
  private readonly preview = new Preview();
  private firstRow: Item | undefined;
  private previewed: Item | undefined;
  private pause: NodeJS.Timeout | undefined;
  private isAccepted = false;
  private readonly closed = new vscode.EventEmitter<Hit | undefined>();
  /** Fires once, with the hit that was opened or nothing, when the list goes away. */
  readonly onDidClose = this.closed.event;

  constructor(private readonly actions: HitActions) {
    keepOrder(this.pick);
    this.pick.onDidChangeActive(([active]) => {
      this.onMove(active);
    });
    this.pick.onDidAccept(() => {
      this.accept(this.pick.activeItems[0]);
    });
    this.pick.onDidTriggerItemButton(({ item, button }) => {
      this.press(item, button);
    });
    this.pick.onDidHide(() => {
      void this.close();
    });
  }

  /** New rows. The first hit becomes active, below any notes. */
  setRows(rows: Item[]): void {
    clearTimeout(this.pause);
    // VS Code lays the list out again for each property that is set.
    if (this.pick.keepScrollPosition) {
      this.pick.keepScrollPosition = false;
    }
    this.firstRow = rows.find(isHit) ?? rows[0];
    this.pick.items = rows;
    this.pick.activeItems = this.firstRow ? [this.firstRow] : [];
    this.onMove(this.firstRow);
  }

  /** New rows if their hits come in another order. The active hit stays active, in its row. */
  reorder(rows: Item[]): boolean {
    const { items } = this.pick;
    const [active] = this.pick.activeItems;
    const reordered = isHit(active) ? secondOrder(items, rows, active) : undefined;
    if (!active || !reordered) {
      return false;
    }
    this.pick.keepScrollPosition = true;
    this.pick.items = reordered;
    this.pick.activeItems = [active];
    return true;
  }

  show(): void {
    this.pick.show();
  }

  dispose(): void {
    clearTimeout(this.pause);
    this.pick.dispose();
    this.preview.dispose();
    this.closed.dispose();
  }

  private onMove(active: Item | undefined): void {
    if (!isHit(active) || active === this.previewed) {
      return;
    }
    clearTimeout(this.pause);
    const show = (): void => {
      this.previewed = active;
      void this.preview.show(active.hit);
    };
    if (active === this.firstRow) {
      this.pause = setTimeout(show, REST_MS);
    } else {
      show();
    }
  }

  private accept(item: Item | undefined): void {
    if (!isHit(item)) {
      return;
    }
    this.leave(item.hit);
    void openHit(item.hit);
  }

  private press(item: Item, button: vscode.QuickInputButton): void {
    if (!isHit(item)) {
      return;
    }
    if (button === buttons.pin || button === buttons.unpin) {
      this.pin(item, button === buttons.pin);
      return;
    }
    this.leave(item.hit);
    if (button === buttons.side) {
      void openHit(item.hit, { viewColumn: vscode.ViewColumn.Beside });
    } else {
      void this.actions.why(item.hit);
    }
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

  private leave(hit: Hit): void {
    this.isAccepted = true;
    this.closed.fire(hit);
    this.pick.hide();
  }

  private async close(): Promise<void> {
    clearTimeout(this.pause);
    if (!this.isAccepted) {
      await this.preview.undo();
      this.closed.fire(undefined);
    }
    this.dispose();
  }
}
