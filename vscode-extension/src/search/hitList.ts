import * as vscode from 'vscode';
import type { HitActions } from '../hitActions';
import { openHit } from '../places';
import type { Hit } from '../protocol';
import { buttons, isHit, keepOrder, pinButton, type HitItem } from './hitItem';
import { Preview } from './preview';
import { secondOrder } from './secondOrder';

type Item = vscode.QuickPickItem;

/** The first hit of an answer is shown when the user stops typing, not at every key. */
const PAUSE_MS = 200;

/** A QuickPick of hits: the active one is previewed, Enter opens it, three buttons a row. */
export class HitList implements vscode.Disposable {
  readonly pick: vscode.QuickPick<Item> = vscode.window.createQuickPick();
  private readonly preview = new Preview();
  private firstRow: Item | undefined;
  private previewed: Item | undefined;
  private pause: NodeJS.Timeout | undefined;
  private accepted = false;
  private readonly closed = new vscode.EventEmitter<Hit | undefined>();
  /** Fires once, with the hit that was opened or nothing, when the list goes away. */
  readonly onDidClose = this.closed.event;

  constructor(private readonly actions: HitActions) {
    keepOrder(this.pick);
    this.pick.onDidChangeActive(([active]) => {
      this.moved(active);
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
    this.firstRow = rows.find(isHit) ?? rows[0];
    this.pick.keepScrollPosition = false;
    this.pick.items = rows;
    this.pick.activeItems = this.firstRow ? [this.firstRow] : [];
    this.moved(this.firstRow);
  }

  /** New rows if their hits come in another order. The active hit stays active, in its row. */
  reorder(rows: Item[]): boolean {
    const { items } = this.pick;
    const [active] = this.pick.activeItems;
    const better = isHit(active) ? secondOrder(items, rows, active) : undefined;
    if (!active || !better) {
      return false;
    }
    this.pick.keepScrollPosition = true;
    this.pick.items = better;
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

  private moved(active: Item | undefined): void {
    if (!isHit(active) || active === this.previewed) {
      return;
    }
    clearTimeout(this.pause);
    const show = (): void => {
      this.previewed = active;
      void this.preview.show(active.hit);
    };
    if (active === this.firstRow) {
      this.pause = setTimeout(show, PAUSE_MS);
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

  private pin(item: HitItem, pinned: boolean): void {
    this.actions.pin(item.hit, pinned);
    this.pick.title = this.actions.pinnedTitle();
    const others = (item.buttons ?? []).slice(0, -1);
    item.buttons = [...others, pinButton(item.hit, this.actions.pins)];
    this.previewed = item;
    this.pick.keepScrollPosition = true;
    this.pick.items = [...this.pick.items];
    this.pick.activeItems = [item];
  }

  private leave(hit: Hit): void {
    this.accepted = true;
    this.closed.fire(hit);
    this.pick.hide();
  }

  private async close(): Promise<void> {
    clearTimeout(this.pause);
    if (!this.accepted) {
      await this.preview.undo();
      this.closed.fire(undefined);
    }
    this.dispose();
  }
}
