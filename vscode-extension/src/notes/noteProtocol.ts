import type { PlaceParams } from '../protocol';

// What the server says of notes; lines are 1-based and inclusive.

export type NoteType = 'insight' | 'decision' | 'stash';

/** Code that a note is about, where it is now. */
export interface NoteCode {
  ref: string;
  path: string;
  /** Empty where it is as it was, else `stale`, `moved?` or `orphaned`. */
  state: string;
  start_line: number;
  end_line: number;
  /** What changed in it since; only in answers to `memory/show`. */
  diff?: string;
}

export interface Note {
  id: string;
  type: NoteType;
  /** Of an insight. */
  key?: string | null;
  content?: string;
  /** Of a decision. */
  topic?: string;
  decision?: string;
  reasoning?: string | null;
  /** Of a stash. */
  name?: string;
  summary?: string;
  author: string;
  date: string;
  tags: string[];
  state: string;
  code: NoteCode[];
  /** The folder whose note it is. */
  root: string;
}

export type NewNote = Pick<Note, 'type'> & Partial<Note> & Partial<PlaceParams>;
