import type { GroupName, Hit, Signal, SignalGroup } from '../../src/protocol';

export function signal(name: string, contribution: number): Signal {
  return { signal: name, value: contribution, weight: 1, contribution };
}

export function group(name: GroupName, contribution: number): SignalGroup {
  const signals = [{ ...signal('node_words', contribution), text: `Signal of ${name}` }];
  return { group: name, value: 0.5, contribution, text: `text of ${name}`, signals };
}

/** A hit of `path` whose score is the sum of its signals. */
export function hit(rank: number, path: string, why: Signal[], name = `f${rank}`): Hit {
  const score = why.reduce((sum, one) => sum + one.contribution, 0);
  const start = { line: rank, character: 0 };
  return {
    ...{ rank, score, path, start_line: rank + 1, end_line: rank + 2, kind: 'function', name },
    qualname: name,
    why,
    line: 'def load(path)',
    reasons: ['named load', 'closest in meaning'],
    groups: [group('Words', score - 1), group('Name', 1)],
    against: ['lacks other', 'test code: otherwise 1st'],
    beside: 'beside f1: behind by words (1 fewer)',
    uri: `file:///ws/${path}`,
    range: { start, end: { line: rank + 1, character: 0 } },
    selectionRange: { start, end: { line: rank, character: 9 } },
  };
}
