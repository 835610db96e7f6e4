import type { HitActions } from './hitActions';
import { focus } from './places';
import type { Results } from './results/results';
import { hitItems, noteItem } from './search/hitItem';
import { HitList } from './search/hitList';
import type { PackhoundClient } from './server/packhoundClient';

/** Lists code like the definition at the cursor, and keeps it in the side bar. */
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
  list.pick.title = 'Packhound: Related Code';
  list.pick.placeholder = 'Code like the definition at the cursor';
  list.pick.busy = true;
  list.show();
  try {
    const found = await client.related(place);
    results.keep(found);
    const nothing = found.hits.length === 0 && found.notes.length === 0;
    const notes = nothing ? ['Nothing like it was found.'] : found.notes;
    list.setRows([...notes.map((note) => noteItem(note)), ...hitItems(found.hits)]);
    list.pick.busy = false;
  } catch (error) {
    list.pick.hide();
    throw error;
  }
}
