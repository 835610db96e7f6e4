import { keyOf, type Hit } from '../protocol';

/**
 * The rows of a second answer, with the active row where it is in the first, so that Enter opens
 * the same hit. Undefined where the hits of both come in the same order.
 */
export function secondOrder<Row extends object>(
  first: readonly Row[],
  second: readonly Row[],
  active: Row,
): Row[] | undefined {
  if (keys(first).join() === keys(second).join()) {
    return undefined;
  }
  const [activeKey] = keys([active]);
  const rows = second.filter((row) => keys([row])[0] !== activeKey);
  rows.splice(first.indexOf(active), 0, active);
  return rows;
}

/** The keys of rows that are hits. */
function keys(rows: readonly object[]): string[] {
  return rows.flatMap((row) => ('hit' in row ? [keyOf(row.hit as Hit)] : []));
}
