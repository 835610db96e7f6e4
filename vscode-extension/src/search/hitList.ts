import * as vscode from 'vscode';
import type { HitActions } from '../hitActions';
import { openHit } from '../places';
import type { Hit } from '../protocol';
import { buttons, isHit, keepOrder } from './hitItem';
import { Preview } from './preview';

type Item = vscode.QuickPickItem;

/** A QuickPick of hits: preview while moving, open on Enter, three buttons a row. */
export class HitList implements vscode.Disposable {
  readonly pick: vscode.QuickPick<Item> = vscode.window.createQuickPick();
  private readonly preview = new Preview();
  private firstRow: Item | undefined;
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

  /** New rows. The first hit becomes active, below any notes, and is not previewed yet. */
  setRows(rows: Item[]): void {
    this.firstRow = rows.find(isHit) ?? rows[0];
    this.pick.items = rows;
    this.pick.activeItems = this.firstRow ? [this.firstRow] : [];
  }

  show(): void {
    this.pick.show();
  }

  dispose(): void {
    this.pick.dispose();
    this.preview.dispose();
    this.closed.dispose();
  }

  private moved(active: Item | undefined): void {
    if (isHit(active) && active !== this.firstRow) {
      this.firstRow = undefined;
      void this.preview.show(active.hit);
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
    if (button === buttons.pin) {
      this.actions.pin(item.hit);
      this.pick.title = this.actions.pinnedTitle();
      return;
    }
    this.leave(item.hit);
    if (button === buttons.side) {
      void openHit(item.hit, { viewColumn: vscode.ViewColumn.Beside });
    } else {
      void this.actions.why(item.hit);
    }
  }

  private leave(hit: Hit): void {
    this.accepted = true;
    this.closed.fire(hit);
    this.pick.hide();
  }

  private async close(): Promise<void> {
    if (!this.accepted) {
      await this.preview.undo();
      this.closed.fire(undefined);
    }
    this.dispose();
  }
}
