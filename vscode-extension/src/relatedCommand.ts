import * as vscode from 'vscode';
import type { HitActions } from './hitActions';
import { focus } from './places';
import type { KeptResults, Results } from './results/results';
import { hitItems, noteItem } from './search/hitItem';
import { HitList } from './search/hitList';
import { toSideBar } from './search/liveList';
import type { PackhoundClient } from './server/packhoundClient';

/** Lists code like the definition at the cursor. What the side bar shows stays until asked for. */
export async function findRelated(
  client: PackhoundClient,
  results: Results,
  actions: HitActions,
): Promise<void> {
  const place = focus();
  if (!place) {
    throw new Error('Put the cursor into a file of the workspace first; then ask again.');
  }
  const list = new HitList(actions);
  const { pick } = list;
  pick.title = 'Packhound: Related Code';
  pick.placeholder = 'Code like the definition at the cursor';
  pick.busy = true;
  list.show();
  try {
    const ask = (): ReturnType<PackhoundClient['related']> => client.related(place);
    const kept: KeptResults = { title: titleOf(place), results: await ask(), again: ask };
    results.answered(kept.results);
    results.offer(kept);
    offerToKeep(list, results, kept);
    const { hits, notes } = kept.results;
    const nothing = hits.length === 0 && notes.length === 0;
    const all = nothing ? ['Nothing like it was found.'] : notes;
    list.setRows([...all.map((note) => noteItem(note)), ...hitItems(hits, actions.pins)]);
    pick.busy = false;
  } catch (error) {
    pick.hide();
    throw error;
  }
}

function offerToKeep({ pick }: HitList, results: Results, kept: KeptResults): void {
  pick.buttons = [toSideBar];
  pick.onDidTriggerButton(() => {
    results.keep(kept);
    void vscode.commands.executeCommand('packhound.results.focus');
  });
}

/** `like retry.py:26`. */
function titleOf({ uri, position }: { uri: string; position: { line: number } }): string {
  return `like ${uri.split('/').at(-1) ?? uri}:${position.line + 1}`;
}
