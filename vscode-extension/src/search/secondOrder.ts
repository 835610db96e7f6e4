import { keyOf, type Hit } from '../protocol';

/**
 * The rows of a second answer, with the active row where it is in the first, so that Enter opens
 * the same hit, but below the notes. Undefined where both say the same, or where the user went from
 * the hits to another row.
 */
export function secondOrder<Row extends object>(
  first: readonly Row[],
  second: readonly Row[],
  active: Row | undefined,
): Row[] | undefined {
  if (keys(first).join() === keys(second).join()) {
    return undefined;
  }
  if (!first.some(isHit)) {
    return [...second];
  }
  if (!active || !isHit(active)) {
    return undefined;
  }
  const [activeKey] = keys([active]);
  const rows = second.filter((row) => keys([row])[0] !== activeKey);
  const n_notes = Math.max(0, rows.findIndex(isHit));
  rows.splice(Math.max(n_notes, first.indexOf(active)), 0, active);
  return rows;
}

/** What tells rows apart: of hits their keys, of others their texts. */
function keys(rows: readonly object[]): string[] {
  return rows.map((row) => (isHit(row) ? keyOf(row.hit) : JSON.stringify(row)));
}

function isHit(row: object): row is { hit: Hit } {
  return 'hit' in row;
}
