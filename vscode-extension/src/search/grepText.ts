import type { GrepLine, GrepParams, GrepResults } from './grepProtocol';

/** What a text means as a pattern of lines. */
export interface Matching {
  case: boolean;
  word: boolean;
  regex: boolean;
}

/** The text as an expression that marks what it matches; undefined where JavaScript may take long. */
export function markOf(text: string, matching: Matching): RegExp | undefined {
  if (matching.regex && !isSimple(text)) {
    return undefined;
  }
  const { pattern, regex, case: matchesCase } = grepParams(text, matching);
  try {
    return new RegExp(regex ? pattern : escaped(pattern), matchesCase === 'ignore' ? 'gi' : 'g');
  } catch {
    return undefined;
  }
}

/**
 * The server's engine, RE2, never goes back; JavaScript's does, for hours where choices multiply. So
 * at most one thing repeats and one more is optional, and neither is a group. What only RE2 knows,
 * such as `\z` and `[[:alpha:]]`, is not simple either.
 */
function isSimple(expression: string): boolean {
  const plain = expression
    .replace(/\\[bBdDfnrsStvwW\W]/g, 'x')
    .replace(/\[\^?[^[\]]+\]/g, 'x')
    .replaceAll('(?:', '(');
  const quantifiers = plain.match(/[*+?]|\{\d+(?:,\d*)?\}/g) ?? [];
  return (
    !/[\\[\]]|\(\?|\)[*+?{]/.test(plain) &&
    plain.split('(').length <= 3 &&
    quantifiers.length <= 2 &&
    quantifiers.filter((each) => each !== '?').length <= 1
  );
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
