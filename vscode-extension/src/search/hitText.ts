import type { Hit, Signal } from '../protocol';
import { bar } from '../explain/bars';
import { mainSignals } from '../explain/mainSignals';
import { signalName } from '../explain/contributionTable';

const BAR_CELLS = 8;
const MOST_REASONS = 3;

const ICONS: Record<string, string> = {
  function: 'symbol-function',
  method: 'symbol-method',
  class: 'symbol-class',
  struct: 'symbol-struct',
  enum: 'symbol-enum',
  interface: 'symbol-interface',
  trait: 'symbol-interface',
  impl: 'symbol-class',
  module: 'symbol-module',
  type: 'symbol-type-parameter',
  constant: 'symbol-constant',
  macro: 'symbol-operator',
  test: 'beaker',
  section: 'symbol-string',
  file: 'file',
  window: 'file-code',
};

/** The codicon of a kind of node. */
export function iconOf(kind: string): string {
  return ICONS[kind] ?? 'symbol-misc';
}

/** What to call a hit: its qualified name, or for text without one its file. */
export function titleOf(hit: Hit): string {
  return hit.qualname || hit.name || (hit.path.split('/').at(-1) ?? hit.path);
}

/** `src/rank.py:12`. */
export function placeOf(hit: Hit): string {
  return `${hit.path}:${hit.start_line}`;
}

/** A bar beside the best hit's score, the score, and the signals that speak loudest. */
export function scoreLine(hit: Hit, best: number): string {
  const share = best > 0 ? hit.score / best : 0;
  return `${bar(share, BAR_CELLS)} ${hit.score.toFixed(2)}  ${reasons(hit.why)}`.trimEnd();
}

function reasons(why: readonly Signal[]): string {
  return mainSignals(why, MOST_REASONS)
    .main.slice(0, MOST_REASONS)
    .map(({ signal, contribution }) => (contribution < 0 ? 'less ' : '') + signalName(signal))
    .join(', ');
}
