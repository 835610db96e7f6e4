import type { Signal } from '../protocol';

export interface MainSignals {
  /** What counts most, largest first, whether for or against. */
  main: Signal[];
  /** How many others there are, and what they add together. */
  others: number;
  othersAdd: number;
}

/** The signals that a person can take in at a glance; the sum of all stays the score. */
export function mainSignals(why: readonly Signal[], most: number): MainSignals {
  const speaking = why
    .filter((signal) => signal.contribution !== 0)
    .sort((one, other) => Math.abs(other.contribution) - Math.abs(one.contribution));
  // One line for a single small signal says more than "1 other".
  const shown = speaking.length <= most + 1 ? speaking.length : most;
  const rest = speaking.slice(shown);
  return {
    main: speaking.slice(0, shown),
    others: rest.length,
    othersAdd: rest.reduce((sum, signal) => sum + signal.contribution, 0),
  };
}
