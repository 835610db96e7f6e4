import { t } from '@vscode/l10n';
import { numeral } from '../numeral';
import type { Pack, PackItem } from '../protocol';

/** The headings of the parts below the code. */
export const WHY_THESE = `## ${t('Why these')}`;
export const LEFT_OUT = `## ${t('Left out')}`;
/** A note that says how tokens were counted begins with this. */
const COUNTER = 'tokens: ';

/** A pack as a document to read: what was asked, the code, why it is there, and what is not. */
export function packDocument(pack: Pack, prompt: string): string {
  const [asked = '', ...more] = prompt.trim().split('\n');
  const counter = pack.notes.filter((note) => note.startsWith(COUNTER));
  const notes = pack.notes.filter((note) => !note.startsWith(COUNTER));
  return [
    `# ${asked}`,
    ...more.map((line) => `> ${line}`),
    '',
    t('{0} of {1} tokens', numeral(pack.tokens), numeral(pack.budget)),
    ...priceLines(pack),
    '',
    ...notes.map((note) => `- ${note}`),
    ...(notes.length > 0 ? [''] : []),
    ...(pack.items.length > 0
      ? [pack.text.trimEnd(), '']
      : [t('Nothing fits the prompt and the budget.'), '']),
    `${WHY_THESE}: ${pack.items.length}`,
    '',
    ...pack.items.flatMap(itemLines),
    '',
    `${LEFT_OUT}: ${pack.omitted.length}`,
    '',
    ...pack.omitted.map(({ path, name, reason }) => `- \`${named(path, name)}\`: ${reason}`),
    '',
    ...counter,
    '',
  ].join('\n');
}

/** A file of a pack. */
export interface PackFile {
  path: string;
  tokens: number;
  reason: string;
}

/** The files of a pack in its order, with all their tokens and the reason of the first part. */
export function filesOf({ items }: Pack): PackFile[] {
  const files = new Map<string, PackFile>();
  for (const { path, tokens, reason } of items) {
    const known = files.get(path) ?? { path, tokens: 0, reason };
    files.set(path, { ...known, tokens: known.tokens + tokens });
  }
  return [...files.values()];
}

/** What the pack costs, and what all packs of the session came to. */
function priceLines({ cost, total }: Pack): string[] {
  return [
    ...(cost ? [t('{0} for {1}', dollars(cost.usd), cost.model)] : []),
    ...(total && total.packs > 1
      ? [
          t('This session: {0} packs, {1} tokens', total.packs, numeral(total.tokens)) +
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
  return [
    `- \`${lines}\` · ${item.detail} · ${t('{0} tokens', numeral(item.tokens))}`,
    `  ${item.reason}`,
  ];
}

function named(path: string, name: string): string {
  return name ? `${path} ${name}` : path;
}

/** A budget as a user may write it: `8000`, `8,000`, `1.000.000`, `8k`; undefined where it is none. */
export function readBudget(text: string): number | undefined {
  const plain = text.replaceAll(/[,_\s]/g, '');
  const number = /^\d+(?:\.\d{3})+$/.test(plain) ? plain.replaceAll('.', '') : plain;
  const match = /^(\d+(?:\.\d+)?)(k?)$/i.exec(number);
  if (!match?.[1]) {
    return undefined;
  }
  const budget = Math.round(Number(match[1]) * (match[2] ? 1000 : 1));
  return budget > 0 ? budget : undefined;
}
