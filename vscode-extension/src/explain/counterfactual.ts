import type { Hit, Signal } from '../protocol';

export interface Counterfactual {
  signal: Signal;
  /** The place that the hit would have, or undefined where it would leave the list. */
  rank: number | undefined;
}

/**
 * The signals without which a hit would stand elsewhere among `hits`, largest move first and
 * moves out of the list last. Only lists in the order of their scores can be judged by scores.
 */
export function counterfactuals(hit: Hit, hits: readonly Hit[]): Counterfactual[] {
  const place = hits.findIndex((other) => same(other, hit)) + 1;
  if (place === 0 || !inOrderOfScore(hits)) {
    return [];
  }
  const move = ({ rank }: Counterfactual): number =>
    rank === undefined ? 0 : Math.abs(rank - place);
  return hit.why
    .map((signal) => ({ signal, rank: rankWithout(hit, signal, hits) }))
    .filter(({ signal, rank }) => signal.contribution !== 0 && rank !== place)
    .filter(({ rank }) => rank !== undefined || place < hits.length)
    .sort((one, other) => move(other) - move(one));
}

function rankWithout(hit: Hit, signal: Signal, hits: readonly Hit[]): number | undefined {
  const score = hit.score - signal.contribution;
  const above = hits.filter((other) => !same(other, hit) && other.score > score).length;
  return above === hits.length - 1 && above > 0 ? undefined : above + 1;
}

function inOrderOfScore(hits: readonly Hit[]): boolean {
  return hits.every((hit, at) => at === 0 || (hits[at - 1]?.score ?? Infinity) >= hit.score);
}

function same(one: Hit, other: Hit): boolean {
  return (
    one.uri === other.uri &&
    one.start_line === other.start_line &&
    one.qualname === other.qualname &&
    one.kind === other.kind
  );
}
