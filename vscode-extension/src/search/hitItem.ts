import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Pins } from '../pack/pins';
import { isCode, type Hit } from '../protocol';
import { iconOf, placeOf, rowText, titleOf, titlesOf } from './hitText';

export const buttons = {
  why: { iconPath: new vscode.ThemeIcon('question'), tooltip: t('Why it ranked here') },
  side: { iconPath: new vscode.ThemeIcon('split-horizontal'), tooltip: t('Open to the side') },
  pin: { iconPath: new vscode.ThemeIcon('add'), tooltip: t('Add to the context pack') },
  unpin: { iconPath: new vscode.ThemeIcon('check'), tooltip: t('Remove from the context pack') },
} satisfies Record<string, vscode.QuickInputButton>;

export interface HitItem extends vscode.QuickPickItem {
  hit: Hit;
}

/** A list has the height of seven tall rows at 1280 x 800: of four with six low ones below them. */
const TALL_ROWS = 4;

/** Rows of a list, in the server's order and never filtered by VS Code. */
export function hitItems(hits: readonly Hit[], pins: Pins): HitItem[] {
  const titles = titlesOf(hits);
  const items = hits.map((hit, at) => ({
    iconPath: new vscode.ThemeIcon(iconOf(hit.kind)),
    label: titles[at] ?? '',
    alwaysShow: true,
    buttons: hit.unread
      ? [buttons.side]
      : [buttons.why, buttons.side, ...(isCode(hit) ? [pinButton(hit, pins)] : [])],
    hit,
  }));
  return laidOut(items);
}

/** Rows of hits as they look at their places, between others that stay as they are. */
export function laidOut<Item extends vscode.QuickPickItem>(items: readonly Item[]): Item[] {
  const hits = items.filter(isHit);
  return items.map((item) =>
    isHit(item)
      ? { ...item, ...rowText(item.hit, item.label, hits.indexOf(item) < TALL_ROWS) }
      : item,
  );
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
      description: [whereOf(hit), hit.reasons.join(' · ')].join('   ').trim(),
      alwaysShow: true,
      buttons: [buttons.side, pinButton(hit, pins)],
      hit,
    };
    return begins ? [separator, item] : [item];
  });
}

/** The place of a definition; of a file, which is called by its name, the folder. */
function whereOf(hit: Hit): string {
  return hit.name ? placeOf(hit) : hit.path.split('/').slice(0, -1).join('/');
}

/** A check mark where the hit is in the next context pack already. */
export function pinButton(hit: Hit, pins: Pins): vscode.QuickInputButton {
  return pins.has(hit) ? buttons.unpin : buttons.pin;
}

/** A row that only says something. */
export function noteItem(note: string, icon = 'info'): vscode.QuickPickItem {
  return { iconPath: new vscode.ThemeIcon(icon), label: note, alwaysShow: true };
}

/**
 * All that is said of an answer, as one row: the first note, the others dim behind it. How many files
 * and definitions were read when it was made is left to the status item, which goes on counting.
 */
export function noteItems(notes: readonly string[]): vscode.QuickPickItem[] {
  const [first, ...others] = notes
    .filter((note) => !note.endsWith('definitions read closely so far'))
    .map((note) =>
      note.replace(/^.*files read so far.*$/, t('Files are still being read; more may be found')),
    );
  return first ? [{ ...noteItem(first), description: others.join(' · ') }] : [];
}

/** The row as it looks while a newer answer is on its way. */
export function dimmed<Item extends vscode.QuickPickItem>(item: Item): Item {
  const description = [item.label, item.description].filter(Boolean).join('   ');
  return isHit(item) && item.label ? { ...item, label: '', description } : item;
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
