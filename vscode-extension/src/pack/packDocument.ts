import type { Pack, PackItem } from '../protocol';
import { bar } from '../explain/bars';

const BAR_CELLS = 20;

/** A pack as a document to read: what it costs, what is in it and why, what is not, the text. */
export function packDocument(pack: Pack, prompt: string): string {
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
    `## In the pack: ${pack.items.length}`,
    '',
    ...(pack.items.length > 0
      ? pack.items.flatMap(itemLines)
      : ['Nothing fits the prompt and the budget.']),
    '',
    `## Left out: ${pack.omitted.length}`,
    '',
    ...pack.omitted.map(({ path, name, reason }) => `- \`${named(path, name)}\`: ${reason}`),
    ...(pack.omitted.length > 0 ? [''] : []),
    '## Text',
    '',
    pack.text,
  ].join('\n');
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
