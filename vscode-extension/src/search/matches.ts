import type { Hit } from '../protocol';

const LEAST_LETTERS = 3;
/** What repeats may be looked for as often as a line has letters, from each of them on. */
const MOST_LETTERS = 300;
/** `named load`, `body has retry, delay`, `says "again"`, `the only place with retry, in another case`. */
const EVIDENCE = /(?:^named|\bhas|^says|\bplaces? with|^forms of) (.*?)(?:, in another case)?$/;

/** The words of the query that a hit has, as its reasons name them. */
export function matchedWords(hit: Hit): string[] {
  const evidence = hit.reasons.map((reason) => EVIDENCE.exec(reason)?.[1] ?? '');
  const words = evidence.join(' ').match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.filter((word) => word.length >= LEAST_LETTERS))];
}

/** What to mark in the text of a hit: the pattern that its line was found by, or words of the query. */
export function marksOf(hit: Hit): RegExp | undefined {
  const longestFirst = matchedWords(hit).sort((one, other) => other.length - one.length);
  // Words are letters and digits alone, so nothing needs to be escaped.
  return hit.pattern ?? (longestFirst[0] ? new RegExp(longestFirst.join('|'), 'giu') : undefined);
}

/** Where `text` matches, as start and end, in order and never overlapping. */
export function matchRanges(text: string, pattern: RegExp | undefined): [number, number][] {
  const isLong =
    text.length > MOST_LETTERS && /[*+{]/.test(pattern?.source.replace(/\\./g, '') ?? '');
  return [...(pattern && !isLong ? text.matchAll(pattern) : [])].flatMap(({ 0: match, index }) =>
    match === '' ? [] : [[index, index + match.length]],
  );
}
