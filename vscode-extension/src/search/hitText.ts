import type { Hit } from '../protocol';

const MOST_REASONS = 3;
/** Of the best line, so that the reasons behind it are seen. */
const MOST_CHARACTERS = 50;

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
  knowledge: 'book',
  note: 'note',
  decision: 'law',
  stash: 'archive',
  skill: 'mortar-board',
  episode: 'history',
  commit: 'git-commit',
};

/** The codicon of a kind of node. */
export function iconOf(kind: string): string {
  return ICONS[kind] ?? 'symbol-misc';
}

/** What to call a hit: its qualified name, or for text without one its file. */
export function titleOf(hit: Hit): string {
  return hit.qualname || hit.name || (hit.path.split('/').at(-1) ?? hit.path);
}

/**
 * Path and line of the name: `src/rank.py:12`, `analysis.ipynb:cell 3:12`, with the folder where it
 * could be mistaken; the type of what stands in no file.
 */
export function placeOf(hit: Hit): string {
  if (!hit.path) {
    return hit.kind;
  }
  const line = hit.selectionRange.start.line + 1;
  const folder = hit.folder === undefined ? '' : `${hit.folder}/`;
  if (hit.unread) {
    return folder + hit.path;
  }
  return `${folder}${hit.path}:${hit.cell ? `cell ${hit.cell.number}:${hit.cell.line}` : line}`;
}

/**
 * What follows the name: the best line of the hit, how sure the server is in one word, and at most
 * three reasons. One line, for a QuickPick shows no more; it reads as a sentence.
 */
export function detailOf(hit: Hit): string {
  return [shorten(hit.line), reasonsOf(hit)].filter(Boolean).join('  —  ');
}

/** `strong · name: retry · comment: "after a timeout"`, and the notes on it; a row cuts the end. */
export function reasonsOf(hit: Hit): string {
  const notes = (hit.notes ?? []).map(({ title, text }) => `note: ${title || text}`);
  const words = [hit.confidence_word, ...hit.reasons.slice(0, MOST_REASONS), ...notes];
  return words.filter(Boolean).join(' · ');
}

/** A hit, and one for each further place of its text: a list can open only its rows. */
export function withCopies(hit: Hit): Hit[] {
  const { copies = [], ...first } = hit;
  const reasons = [`same text as ${placeOf(hit)}`];
  return [hit, ...copies.map((copy) => ({ ...first, ...copy, reasons }))];
}

/** A hit as a screen reader says it. */
export function spokenOf(hit: Hit): string {
  const reasons = hit.reasons.slice(0, MOST_REASONS).join(', ');
  const match = hit.confidence_word ? `, ${hit.confidence_word} match` : '';
  return `${hit.kind} ${titleOf(hit)} in ${placeOf(hit)}${match}${reasons ? `, ${reasons}` : ''}`;
}

function shorten(line: string): string {
  return line.length <= MOST_CHARACTERS ? line : `${line.slice(0, MOST_CHARACTERS - 1)}…`;
}
