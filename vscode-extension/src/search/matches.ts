import type { Hit } from '../protocol';

const LEAST_LETTERS = 3;
/** `named load`, `body has retry, delay`, `says "again"`, `the only place with retry, in another case`. */
const EVIDENCE = /(?:^named|\bhas|^says|\bplaces? with|^forms of) (.*?)(?:, in another case)?$/;

/** The words of the query that a hit has, as its reasons name them. */
export function matchedWords(hit: Hit): string[] {
  const evidence = hit.reasons.map((reason) => EVIDENCE.exec(reason)?.[1] ?? '');
  const words = evidence.join(' ').match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.filter((word) => word.length >= LEAST_LETTERS))];
}

/** Where `text` has one of `words`, as start and end, in order and never overlapping. */
export function matchRanges(text: string, words: readonly string[]): [number, number][] {
  if (words.length === 0) {
    return [];
  }
  const longestFirst = [...words].sort((one, other) => other.length - one.length);
  // Words are letters and digits alone, so nothing needs to be escaped.
  const pattern = new RegExp(longestFirst.join('|'), 'giu');
  return [...text.matchAll(pattern)].map(({ 0: match, index }) => [index, index + match.length]);
}
