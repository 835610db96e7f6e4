import type { Hit, Signal } from '../../src/protocol';

export function signal(name: string, contribution: number): Signal {
  return { signal: name, value: contribution, weight: 1, contribution };
}

/** A hit of `path` whose score is the sum of its signals. */
export function hit(rank: number, path: string, why: Signal[], name = `f${rank}`): Hit {
  const score = why.reduce((sum, one) => sum + one.contribution, 0);
  const start = { line: rank, character: 0 };
  return {
    ...{ rank, score, path, start_line: rank + 1, end_line: rank + 2, kind: 'function', name },
    qualname: name,
    why,
    uri: `file:///ws/${path}`,
    range: { start, end: { line: rank + 1, character: 0 } },
    selectionRange: { start, end: { line: rank, character: 9 } },
  };
}
