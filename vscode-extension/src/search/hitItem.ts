import * as vscode from 'vscode';
import type { Pins } from '../pack/pins';
import { isCode, type Hit } from '../protocol';
import { detailOf, iconOf, placeOf, titleOf } from './hitText';

export const buttons = {
  why: { iconPath: new vscode.ThemeIcon('question'), tooltip: 'Why it ranked here' },
  side: { iconPath: new vscode.ThemeIcon('split-horizontal'), tooltip: 'Open to the side' },
  pin: { iconPath: new vscode.ThemeIcon('add'), tooltip: 'Add to the context pack' },
  unpin: { iconPath: new vscode.ThemeIcon('check'), tooltip: 'Remove from the context pack' },
} satisfies Record<string, vscode.QuickInputButton>;

export interface HitItem extends vscode.QuickPickItem {
  hit: Hit;
}

/** Rows of a list, in the server's order and never filtered by VS Code. */
export function hitItems(hits: readonly Hit[], pins: Pins): HitItem[] {
  return hits.map((hit) => ({
    iconPath: new vscode.ThemeIcon(iconOf(hit.kind)),
    label: titleOf(hit),
    description: placeOf(hit),
    detail: detailOf(hit),
    alwaysShow: true,
    buttons: hit.unread
      ? [buttons.side]
      : [buttons.why, buttons.side, ...(isCode(hit) ? [pinButton(hit, pins)] : [])],
    hit,
  }));
}

/** Rows of hits that have no rank, in parts. */
export function sectionItems(hits: readonly Hit[], pins: Pins): vscode.QuickPickItem[] {
  return hits.flatMap((hit, at) => {
    const label = hit.section ?? '';
    const begins = label !== '' && label !== hits[at - 1]?.section;
    const separator = { label, kind: vscode.QuickPickItemKind.Separator };
    const item: HitItem = {
      iconPath: new vscode.ThemeIcon(iconOf(hit.kind)),
      label: titleOf(hit),
      description: [placeOf(hit), hit.reasons.join(', ')].join('  ').trimEnd(),
      alwaysShow: true,
      buttons: [buttons.side, pinButton(hit, pins)],
      hit,
    };
    return begins ? [separator, item] : [item];
  });
}

/** A check mark where the hit is in the next context pack already. */
export function pinButton(hit: Hit, pins: Pins): vscode.QuickInputButton {
  return pins.has(hit) ? buttons.unpin : buttons.pin;
}

/** A row that only says something. */
export function noteItem(note: string, icon = 'info'): vscode.QuickPickItem {
  return { label: `$(${icon}) ${note}`, alwaysShow: true };
}

export function isHit(item: vscode.QuickPickItem | undefined): item is HitItem {
  return item !== undefined && 'hit' in item;
}

/** Keeps VS Code from moving rows whose label matches the text to the top, and from matching more. */
export function keepOrder(pick: vscode.QuickPick<vscode.QuickPickItem>): void {
  pick.matchOnDescription = false;
  pick.matchOnDetail = false;
  // Not in the published typings, but read by every VS Code that this extension runs in.
  (pick as { sortByLabel?: boolean }).sortByLabel = false;
}
