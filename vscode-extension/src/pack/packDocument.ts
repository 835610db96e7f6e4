import type { Pack, PackItem } from '../protocol';
import { bar } from '../explain/bars';

const BAR_CELLS = 20;
/** The headings of the parts below the code. */
export const WHY_THESE = '## Why these';
export const LEFT_OUT = '## Left out';

/**
 * A pack as a document to read: what it costs, the code, why it is there, and what is not.
 * The code of `edited`, the path of the file that the user works on, comes first.
 */
export function packDocument(pack: Pack, prompt: string, edited?: string): string {
  return [
    '# Context pack',
    '',
    ...prompt.split('\n').map((line) => `> ${line}`),
    '',
    `${bar(pack.tokens / Math.max(1, pack.budget), BAR_CELLS)} ${numeral(pack.tokens)} of ${numeral(pack.budget)} tokens`,
    ...priceLines(pack),
    '',
    ...pack.notes.map((note) => `- ${note}`),
    ...(pack.notes.length > 0 ? [''] : []),
    ...(pack.items.length > 0
      ? [codeOf(pack, edited), '']
      : ['Nothing fits the prompt and the budget.', '']),
    `${WHY_THESE}: ${pack.items.length}`,
    '',
    ...pack.items.flatMap(itemLines),
    '',
    `${LEFT_OUT}: ${pack.omitted.length}`,
    '',
    ...pack.omitted.map(({ path, name, reason }) => `- \`${named(path, name)}\`: ${reason}`),
    '',
  ].join('\n');
}

/** The text of a pack, whose files are ranked, with the edited one moved to the top. */
function codeOf({ text, items }: Pack, edited: string | undefined): string {
  const paths = [...new Set(items.map(({ path }) => path))];
  const starts = paths
    .map((path) => ({ path, at: `\n${text}`.indexOf(`\n### ${path}:`) }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at);
  const at = starts.findIndex(({ path }) => path === edited);
  const first = starts[at];
  if (!first || at === 0) {
    return text.trimEnd();
  }
  const end = starts[at + 1]?.at ?? text.length;
  const start = starts[0]?.at ?? 0;
  const parts = [
    text.slice(0, start),
    text.slice(first.at, end),
    text.slice(start, first.at),
    text.slice(end),
  ];
  return parts
    .map((part) => part.trim())
    .filter(Boolean)
    .join('\n\n');
}

/** What the pack costs, and what all packs of the session came to. */
function priceLines({ cost, total }: Pack): string[] {
  return [
    ...(cost ? [`${dollars(cost.usd)} for ${cost.model}`] : []),
    ...(total && total.packs > 1
      ? [
          `This session: ${total.packs} packs, ${numeral(total.tokens)} tokens` +
            (total.usd === null ? '' : `, ${dollars(total.usd)}`),
        ]
      : []),
  ].flatMap((line) => ['', line]);
}

function dollars(usd: number): string {
  return `${usd.toFixed(4)} USD`;
}

function itemLines(item: PackItem): string[] {
  const lines = `${item.path}:${item.start_line}-${item.end_line}`;
  return [`- \`${lines}\` · ${item.detail} · ${numeral(item.tokens)} tokens`, `  ${item.reason}`];
}

function named(path: string, name: string): string {
  return name ? `${path} ${name}` : path;
}

function numeral(count: number): string {
  return count.toLocaleString('en-US');
}

/** A budget as a user may write it: `8000`, `8,000`, `8k`; undefined where it is none. */
export function readBudget(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*(k?)$/i.exec(text.trim().replaceAll(/[,_ ]/g, ''));
  if (!match?.[1]) {
    return undefined;
  }
  const budget = Math.round(Number(match[1]) * (match[2] ? 1000 : 1));
  return budget > 0 ? budget : undefined;
}
