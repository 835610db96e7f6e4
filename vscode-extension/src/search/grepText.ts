import type { GrepLine, GrepParams, GrepResults } from '../protocol';

/** What a text means as a pattern of lines. */
export interface Matching {
  case: boolean;
  word: boolean;
  regex: boolean;
}

export function grepParams(text: string, matching: Matching): GrepParams {
  const { case: matchesCase, word, regex } = matching;
  const expression = regex ? text : text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return {
    pattern: word ? `\\b(?:${expression})\\b` : text,
    regex: regex || word,
    case: matchesCase ? 'sensitive' : 'ignore',
  };
}

/** The lines with those around them, as VS Code's search editor writes them. */
export function linesDocument(text: string, { groups, ...response }: GrepResults): string {
  const files = new Map<string, GrepLine[]>();
  for (const { path, lines } of groups) {
    files.set(path, [...(files.get(path) ?? []), ...lines]);
  }
  return [
    `# Query: ${text}`,
    '',
    `${response.total_lines} results - ${response.total_files} files`,
    ...[...files].flatMap(([path, lines]) => ['', `${path}:`, ...numbered(lines)]),
    '',
  ].join('\n');
}

function numbered(lines: readonly GrepLine[]): string[] {
  const rows = new Map<number, GrepLine>();
  for (const row of lines) {
    rows.set(row.line, row.match ? row : (rows.get(row.line) ?? row));
  }
  const sorted = [...rows.values()].sort((one, other) => one.line - other.line);
  return sorted.map(({ line, match, text }) => `  ${line}${match ? ':' : ' '} ${text}`);
}
