import * as vscode from 'vscode';
import { openHit } from '../places';
import { isHit, noteItem, type HitItem } from '../search/hitItem';
import { iconOf, placeOf, titleOf } from '../search/hitText';
import type { Pins } from './pins';

const remove: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('trash'),
  tooltip: 'Remove from the context pack',
};

/** Lists what goes into the next context pack; each row can be opened or removed. */
export function showPins(pins: Pins): void {
  const pick = vscode.window.createQuickPick();
  pick.title = 'Packhound: Added to the Next Context Pack';
  pick.placeholder = 'Enter opens; the button removes';
  const list = (): void => {
    pick.items = pins.count > 0 ? pins.hits.map(pinItem) : [noteItem('Nothing was added yet.')];
  };
  pick.onDidTriggerItemButton(({ item }) => {
    if (isHit(item)) {
      pins.remove(item.hit);
      list();
    }
  });
  pick.onDidAccept(() => {
    const [active] = pick.activeItems;
    if (isHit(active)) {
      void openHit(active.hit);
    }
    pick.hide();
  });
  pick.onDidHide(() => {
    pick.dispose();
  });
  list();
  pick.show();
}

function pinItem(hit: HitItem['hit']): HitItem {
  return {
    iconPath: new vscode.ThemeIcon(iconOf(hit.kind)),
    label: titleOf(hit),
    description: placeOf(hit),
    buttons: [remove],
    hit,
  };
}
