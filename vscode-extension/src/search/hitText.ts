import { t } from '@vscode/l10n';
import type { Hit } from '../protocol';

const MOST_REASONS = 3;
/** What of a row fits beside its icon and its buttons at the greatest width of a list. */
const MOST_CHARACTERS = 64;
/** The same of the line below, beside the buttons of the active row, and of a row without one. */
const MOST_OF_DETAIL = 72;
const MOST_OF_LOW_ROW = 88;
const LEAST_OF_QUOTE = 16;
/** Of a place that shares its line with reasons. */
const MOST_OF_PLACE = 24;

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

/** The titles of a list: where several hits have one, with the types of their parameters. */
export function titlesOf(hits: readonly Hit[]): string[] {
  const titles = hits.map(titleOf);
  return titles.map((title, at) =>
    titles.indexOf(title) === titles.lastIndexOf(title) ? title : title + typesOf(hits[at]),
  );
}

/** `(int, String)` of `void add(int count, String name)`; nothing where nothing is in parentheses. */
function typesOf(hit: Hit | undefined): string {
  const { signature = '', name = '', path = '' } = hit ?? {};
  const afterName = signature.slice(signature.indexOf(name) + name.length);
  const [, inside] = /^[^(]*\(((?:[^()]|\([^()]*\))*)\)/.exec(afterName) ?? [];
  const parameters = inside?.match(/(?:[^,<([{]|[<([{].*?[>)\]}])+/g) ?? [];
  const types = parameters.map((parameter) => {
    const [declared = ''] = parameter.split(/=(?!>)/);
    const [, afterColon] = /:\s*([^:].*)$/.exec(declared) ?? [];
    const words = declared.trim().split(/\s+/);
    const rest = path.endsWith('.go') ? words.slice(1) : words.slice(0, -1);
    return (afterColon ?? (rest.join(' ') || words.join())).trim();
  });
  return inside === undefined ? '' : `(${types.join(', ')})`;
}

/** Path and line beside a title of this length, without the middle folders where it is long. */
export function shortPlace(hit: Hit, room: number): string {
  const place = placeOf(hit);
  const folders = place.split('/');
  const file = folders.pop() ?? '';
  for (let kept = folders.length - 1; place.length > room && kept > 0; kept -= 1) {
    const [head, tail] = [Math.ceil(kept / 2), Math.floor(kept / 2)];
    const shown = [...folders.slice(0, head), '…', ...folders.slice(folders.length - tail), file];
    if (shown.join('/').length <= room) {
      return shown.join('/');
    }
  }
  // Where another folder has the name too, its own is what tells them apart.
  const least = hit.folder !== undefined && folders.length > 1 ? `${hit.folder}/…/${file}` : file;
  return place.length > room ? least : place;
}

/** Place and reasons of a row: on two lines, or on one where more rows shall be seen. */
export function rowText(
  hit: Hit,
  title: string,
  isTall: boolean,
): { description: string; detail: string } {
  const free = MOST_CHARACTERS - title.length;
  if (isTall) {
    return { description: shortPlace(hit, free), detail: reasonsOf(hit, MOST_OF_DETAIL) };
  }
  const place = shortPlace(hit, Math.min(free, MOST_OF_PLACE));
  const said = reasonsOf(hit, MOST_OF_LOW_ROW - title.length - place.length);
  return { description: `${place}   ${said}`.trimEnd(), detail: '' };
}

/** Reasons for a room of characters: a quotation loses its end, for what follows it says more. */
function within(room: number, reasons: string): string {
  const excess = reasons.length - room;
  return excess <= 0
    ? reasons
    : reasons.replace(/"([^"]{20,})"/, (_, quote: string) => {
        const kept = Math.max(LEAST_OF_QUOTE, quote.length - excess - 1);
        return `"${quote.slice(0, kept).trimEnd()}…"`;
      });
}

/**
 * `says "after a timeout" · closest in meaning · strong`, the matched line first, and the notes on it;
 * the last reasons are left out where there is no room for them.
 */
export function reasonsOf(hit: Hit, room = Number.POSITIVE_INFINITY, most = MOST_REASONS): string {
  const notes = (hit.notes ?? []).map(({ title, text }) => t('note: {0}', title || text));
  const matched = hit.matches?.[0]?.text.trim();
  const words = [matched, ...hit.reasons.slice(0, most), ...notes, hit.confidence_word];
  const said = within(room, words.filter(Boolean).join(' · '));
  return said.length > room && most > 1 ? reasonsOf(hit, room, most - 1) : said;
}

/** A hit, and one for each further place of its text: a list can open only its rows. */
export function withCopies(hit: Hit): Hit[] {
  const { copies = [], ...first } = hit;
  const reasons = [t('same text as {0}', placeOf(hit))];
  return [hit, ...copies.map((copy) => ({ ...first, ...copy, reasons }))];
}

/** A hit as a screen reader says it. */
export function spokenOf(hit: Hit): string {
  const reasons = hit.reasons.slice(0, MOST_REASONS).join(', ');
  const match = hit.confidence_word ? `, ${t('{0} match', hit.confidence_word)}` : '';
  const place = t('{0} {1} in {2}', hit.kind, titleOf(hit), placeOf(hit));
  return `${place}${match}${reasons ? `, ${reasons}` : ''}`;
}
