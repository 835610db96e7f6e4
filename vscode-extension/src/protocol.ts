// What Packhound's server and this extension say to each other, besides the language server
// protocol itself. Mirrors the JSON of docs/protocol.md; lines are 1-based and inclusive, `range`
// is in the protocol's own 0-based UTF-16 positions.

export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

export interface Signal {
  signal: string;
  value: number;
  weight: number;
  contribution: number;
}

export type GroupName = 'Name' | 'Words' | 'Meaning' | 'Structure' | 'You';

/** All signals of one kind: what they add to a score, and what there is to see of them. */
export interface SignalGroup {
  group: GroupName;
  /** 0 to 1. */
  value: number;
  contribution: number;
  text: string;
  /** In answers to `explain` only. */
  signals?: (Signal & { text: string })[];
}

export interface Hit {
  rank: number;
  score: number;
  path: string;
  start_line: number;
  end_line: number;
  kind: string;
  name: string;
  qualname: string;
  signature?: string;
  /** The line of signature and comment with the most words of the query. */
  line: string;
  /** At most three, in words. */
  reasons: string[];
  /** The lines that have what a pattern or an expression of the query asks for. */
  matches?: { line: number; text: string }[];
  /** Further places with the same text. */
  copies?: Partial<Hit>[];
  /** Of hits that are explained: the signals, their groups, what speaks against it, and the best other. */
  why?: Signal[];
  groups?: SignalGroup[];
  against?: string[];
  beside?: string;
  /** The commits that its lines stem from, where that was asked for. */
  git?: {
    state: string;
    commits: number;
    last_change: string | null;
    stale: boolean;
    text: string;
  };
  /** `strong`, `likely`, `possible` or `weak`; null where the server cannot tell, as for related code. */
  confidence_word?: string | null;
  /** `code`, or the source beside code that the hit is a record of. */
  source?: string;
  /** The fresh notes on code. */
  notes?: NoteMark[];
  /** What a line was found by. */
  pattern?: RegExp;
  /** The part of a list that it stands in, where the list has parts. */
  section?: string;
  /** Of a record: its id in its source, its whole text, and its day. */
  id?: string;
  text?: string;
  date?: string;
  /** The name of its folder, where hits of another one have its name too, or of its repository. */
  folder?: string;
  /** Why only its path is known, as of an image; nothing of it is shown. */
  unread?: string;
  /** Of a hit in a notebook: the cell and the line in it, from 1. */
  cell?: { number: number; line: number };
  uri: string;
  range: Range;
  /** Where its name is. */
  selectionRange: Range;
}

export interface NoteMark {
  id: string;
  title: string;
  text: string;
  state: string;
}

export interface SearchParams {
  query: string;
  explain?: boolean;
  limit?: number;
  mode?: 'hybrid' | 'lexical' | 'dense' | 'symbol';
  kinds?: string[];
  languages?: string[];
  paths?: string[];
  focus?: { uri: string; position: Position };
  /** Also reads the best hits with the deep model, and asks `team.remotes`: both take longer. */
  deep?: boolean;
  remotes?: boolean;
  /** Only where holes of the pattern are this: `E=StoreError`. */
  facets?: string[];
  /** Code of the structure that hits have: its literals, names and calls become holes. */
  like?: string;
  /** As if this diff, or the proposal of this id, were applied. */
  patch?: string;
}

export interface SearchResults {
  query: string;
  hits: Hit[];
  /** What the named holes of a pattern are. */
  facets?: { name: string; values: { text: string; matches: number }[] }[];
  notes: string[];
  confidence?: number | null;
  confidence_word?: 'exact' | 'strong' | 'likely' | 'possible' | 'weak' | null;
}

export interface PlaceParams {
  uri: string;
  position: Position;
  query?: string;
  git?: boolean;
  limit?: number;
}

export interface Explanation {
  query: string;
  /** Null where there is no definition at the place. A rank of 0 means: not among the results. */
  hit: Hit | null;
  markdown: string | null;
}

/** A definition; of a call also the line of the call, how sure it is (`resolved`, `only candidate` or `possible`), and which tool says so. */
export type Link = Pick<
  Hit,
  'path' | 'start_line' | 'end_line' | 'kind' | 'name' | 'qualname' | 'uri' | 'range'
> &
  Pick<Hit, 'selectionRange'> & {
    line?: number;
    distance?: number;
    grade?: string;
    by?: string;
  };

/** A definition and what it touches. */
export interface SymbolAnswer extends Link {
  callers: Link[];
  callees: Link[];
  implementations: Link[];
  tests: Link[];
  /** All lines that use its name, where it has no callers. */
  mentions: (Link & { line: number; text: string })[];
  totals: { mentions: number };
}

export interface ChangedFile {
  path: string;
  /** The path of its folder, where the answer is of several. */
  root?: string;
}

export interface RelatedFile extends ChangedFile {
  /** 0 to 1. */
  chance: number;
  reasons: string[];
}

/** A place that uses what is not there any more, or not so; `gone` is a definition. */
export type Break = Link & { line: number; text: string; uses: string; gone?: string };

/** What differs from a commit, and what that touches and breaks. */
export interface Changes {
  definitions: (Link & { lines: [number, number][]; callers: Link[] })[];
  /** Changed files without a changed definition. */
  files: ChangedFile[];
  renamed: (ChangedFile & { old_path: string })[];
  unresolved: Break[];
  calls: Break[];
  lacking: Break[];
  imports: Break[];
  tests: RelatedFile[];
  related: RelatedFile[];
}

export interface PackParams {
  prompt?: string;
  map?: boolean;
  budget: number;
  /** Its packs do not repeat code that did not change. */
  conversation?: string;
  focus?: { uri: string; position: Position };
  /** Files, or runs of their lines as `path:10-20`. */
  pinned?: string[];
  /** Globs of paths. */
  exclude?: string[];
}

export interface PackItem {
  path: string;
  start_line: number;
  end_line: number;
  detail: string;
  tokens: number;
  score: number;
  reason: string;
}

export interface Pack {
  id?: string;
  /** Of reading it with the model of the setting `pack.model`. */
  cost?: { model: string; usd: number } | null;
  /** Of all packs of this session. */
  total?: { packs: number; tokens: number; usd: number | null };
  tokens: number;
  budget: number;
  items: PackItem[];
  omitted: { path: string; name: string; reason: string }[];
  text: string;
  notes: string[];
}

export interface IndexStatus {
  state: string;
  pending: number;
  /** `512 of 869 files read so far`, until all are read. */
  reading?: string;
  files: number;
  nodes: number;
  /** `off`, `loading`, `missing`, `encoding`, `failed` or `ready`, and why it is missing or failed. */
  encoder?: string;
  encoder_problem?: string;
  pending_vectors?: number;
  /** How many definitions the deep model has read in advance, of how many. */
  deep_vectors?: [number, number] | null;
  notes?: string[];
}

/** Every setting in force, of each folder. */
export interface SettingsInForce {
  roots: { settings: { name: string; value: unknown }[] }[];
}

/** The same for one piece of code, or one record, in two answers. */
export function keyOf(hit: Hit): string {
  return hit.id ?? `${hit.uri}#${hit.start_line}-${hit.end_line}`;
}

export function isCode(hit: Hit): boolean {
  return (hit.source ?? 'code') === 'code';
}

export const methods = {
  search: 'packhound/search',
  explain: 'packhound/explain',
  related: 'packhound/related',
  grep: 'packhound/grep',
  pack: 'packhound/pack',
  packPage: 'packhound/packPage',
  symbol: 'packhound/symbol',
  changes: 'packhound/changes',
  status: 'packhound/status',
  config: 'packhound/config',
  indexState: 'packhound/indexState',
  picked: 'packhound/picked',
  forget: 'packhound/forget',
  logLevel: 'packhound/logLevel',
  addNote: 'packhound/memory/add',
  listNotes: 'packhound/memory/list',
  showNote: 'packhound/memory/show',
  forgetNote: 'packhound/memory/forget',
} as const;

export const serverCommands = {
  rebuild: 'packhound.server.rebuild',
} as const;
