import { t } from '@vscode/l10n';
import type { Hit } from '../protocol';

/** More than this many strong hits need no help. */
const POOR = 5;
const MOST_OF_A_SORT = 2;
const LANGUAGES: Record<string, string> = {
  c: 'c',
  cpp: 'cpp',
  cs: 'csharp',
  go: 'go',
  java: 'java',
  js: 'javascript',
  kt: 'kotlin',
  md: 'markdown',
  php: 'php',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  ts: 'typescript',
};
const FILTER = /(^|\s)-?(kind|lang|path|tests|type|rev|deps|since|before|tag):(\S+)/g;

export interface Suggestion {
  title: string;
  query: string;
}

/** Other queries to try where one found nothing, little, or nothing sure. */
export function suggestions(
  query: string,
  hits: readonly Hit[],
  confidence?: string | null,
): Suggestion[] {
  const filters = [...query.matchAll(FILTER)].map(([text]) => text.trim());
  const without = filters.map((filter) => ({
    title: t('Without {0}', filter),
    query: query.replace(filter, '').replace(/\s+/g, ' ').trim(),
  }));
  if (hits.length > POOR && confidence !== 'weak') {
    return [];
  }
  const used = (sort: string): boolean => filters.some((filter) => filter.includes(`${sort}:`));
  const narrower = [
    ...(used('kind') ? [] : values(hits, ({ kind }) => `kind:${kind}`)),
    ...(used('lang') ? [] : values(hits, ({ path }) => language(path))),
    ...(used('path') ? [] : values(hits, ({ path }) => folder(path))),
  ];
  return [
    ...without.filter((each) => each.query),
    ...narrower.map((filter) => ({
      title: t('Only {0}', filter),
      query: `${query.trim()} ${filter}`,
    })),
  ];
}

/** The commonest filters that some of the hits pass and others do not. */
function values(hits: readonly Hit[], filterOf: (hit: Hit) => string | undefined): string[] {
  const counts = new Map<string, number>();
  for (const filter of hits.map(filterOf)) {
    if (filter) {
      counts.set(filter, (counts.get(filter) ?? 0) + 1);
    }
  }
  return [...counts]
    .filter(([, count]) => count < hits.length)
    .sort(([, one], [, other]) => other - one)
    .slice(0, MOST_OF_A_SORT)
    .map(([filter]) => filter);
}

function language(path: string): string | undefined {
  const name = LANGUAGES[path.split('.').at(-1) ?? ''];
  return name && `lang:${name}`;
}

function folder(path: string): string | undefined {
  const first = path.includes('/') ? path.split('/')[0] : undefined;
  return first && `path:${first}/**`;
}
