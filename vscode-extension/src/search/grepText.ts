import type { GrepLine, GrepParams, GrepResults } from './grepProtocol';

/** What a text means as a pattern of lines. */
export interface Matching {
  case: boolean;
  word: boolean;
  regex: boolean;
}

/** The text as an expression of JavaScript, to mark what it matches; undefined where it is none. */
export function markOf(text: string, matching: Matching): RegExp | undefined {
  const { pattern, regex, case: matchesCase } = grepParams(text, matching);
  try {
    return new RegExp(regex ? pattern : escaped(pattern), matchesCase === 'ignore' ? 'gi' : 'g');
  } catch {
    return undefined;
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

export function grepParams(text: string, matching: Matching): GrepParams {
  const { case: matchesCase, word, regex } = matching;
  const expression = regex ? text : escaped(text);
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
