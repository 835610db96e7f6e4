import type { Range } from '../protocol';

// What the server says of matching lines.

export interface GrepParams {
  pattern: string;
  regex?: boolean;
  case?: 'sensitive' | 'ignore';
  /** Lines around each. */
  context?: number;
  limit?: number;
}

/** The matching lines of one definition. */
export interface GrepGroup {
  path: string;
  kind: string;
  name: string;
  qualname: string;
  lines: GrepLine[];
  uri?: string;
}

/** A line, in a notebook with its place there. */
export interface GrepLine {
  line: number;
  text: string;
  match: boolean;
  cell?: { number: number; line: number };
  uri?: string;
  range?: Range;
}

export interface GrepResults {
  pattern: string;
  total_lines: number;
  total_files: number;
  groups: GrepGroup[];
  /** -1 where there are no more lines. */
  next_offset: number;
  notes: string[];
}
