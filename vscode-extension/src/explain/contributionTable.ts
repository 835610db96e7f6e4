import type { Hit, Signal } from '../protocol';
import { bar, negativeBar, signed } from './bars';
import { counterfactuals, type Counterfactual } from './counterfactual';
import { mainSignals } from './mainSignals';

/** The title of the document, and the language that package.json gives it. */
export const EXPLANATION = 'Why it ranked here';
export const EXPLANATION_LANGUAGE = 'packhound-explanation';

const BAR_CELLS = 10;
const MOST_ROWS = 12;
const MOST_COUNTERFACTUALS = 3;

/** The account of one hit's score as a Markdown document. */
export function explanation(hit: Hit, query: string, hits: readonly Hit[]): string {
  return [
    `# Why \`${hit.qualname || hit.name}\` ${place(hit)}`,
    '',
    `\`${hit.path}\`, lines ${hit.start_line} to ${hit.end_line} · ${hit.kind} · score **${hit.score.toFixed(3)}**`,
    '',
    query ? `Query: \`${query.replaceAll('`', "'")}\`` : 'No query: scored on its own.',
    '',
    ...contributionTable(hit.why),
    '',
    ...counterfactualLines(hit, hits),
  ].join('\n');
}

function place(hit: Hit): string {
  return hit.rank > 0 ? `is #${hit.rank}` : 'is not among the results';
}

/** One row a signal, what counts most first, aligned so that it reads without a preview too. */
export function contributionTable(why: readonly Signal[]): string[] {
  const { main, others, othersAdd } = mainSignals(why, MOST_ROWS);
  const [first] = main;
  if (!first) {
    return ['No signal spoke for or against it.'];
  }
  const most = Math.abs(first.contribution);
  const rows = main.map((signal) => row(signal, most));
  if (others > 0) {
    rows.push([`${others} others`, '', '', '', signed(othersAdd)]);
  }
  return aligned([['Signal', 'Share', 'Value', 'Weight', 'Adds'], ...rows]);
}

function row(signal: Signal, most: number): string[] {
  const share = Math.abs(signal.contribution) / most;
  const drawn = signal.contribution < 0 ? negativeBar(share, BAR_CELLS) : bar(share, BAR_CELLS);
  return [
    signalName(signal.signal),
    drawn,
    signal.value.toFixed(3),
    signal.weight.toFixed(3),
    signed(signal.contribution),
  ];
}

/** `test_penalty` as `test penalty`. */
export function signalName(signal: string): string {
  return signal.replaceAll(/[_.]/g, ' ');
}

function aligned(rows: string[][]): string[] {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((cells) => cells[at]?.length ?? 0)));
  const line = (cells: string[]): string =>
    `| ${cells.map((cell, at) => pad(cell, widths?.[at] ?? 0, at)).join(' | ')} |`;
  const [head, ...body] = rows;
  const rule = `|${(widths ?? []).map((width, at) => dashes(width, at)).join('|')}|`;
  return [line(head ?? []), rule, ...body.map(line)];
}

const FIRST_NUMBER_COLUMN = 2;

function pad(cell: string, width: number, column: number): string {
  return column >= FIRST_NUMBER_COLUMN ? cell.padStart(width) : cell.padEnd(width);
}

function dashes(width: number, column: number): string {
  return column >= FIRST_NUMBER_COLUMN ? `${'-'.repeat(width + 1)}:` : '-'.repeat(width + 2);
}

function counterfactualLines(hit: Hit, hits: readonly Hit[]): string[] {
  const found = counterfactuals(hit, hits).slice(0, MOST_COUNTERFACTUALS);
  return found.map(inWords(hits)).map((words) => `- ${words}.`);
}

/** `Without test penalty: #2`, for hits of a list. */
export function inWords(hits: readonly Hit[]): (one: Counterfactual) => string {
  return ({ signal, rank }) => {
    const where = rank === undefined ? `below #${hits.length}` : `#${rank}`;
    return `Without ${signalName(signal.signal)}: ${where}`;
  };
}
