/** What a search can be about, as `type:` names it. */
export const TYPES = [
  'code',
  'note',
  'decision',
  'stash',
  'knowledge',
  'skill',
  'episode',
  'commit',
  'all',
];

const FILTER = /(^|\s)type:(\S+)/g;

/** The types that a query asks for. */
export function typesIn(query: string): string[] {
  return [...query.matchAll(FILTER)].flatMap(([, , names = '']) => names.toLowerCase().split(','));
}

/** The query for these types instead of those that it asks for. */
export function withTypes(query: string, types: readonly string[]): string {
  const words = query.replace(FILTER, '').trim();
  return types.length > 0 ? `${words} type:${types.join(',')}`.trim() : words;
}
