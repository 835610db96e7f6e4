// What the server says of proposed patches.

/** A patch that somebody proposes; `problem` says why it does not apply any more. */
export interface Proposal {
  id: string;
  author: string;
  message: string;
  created: string;
  applies: boolean;
  problem: string;
  root?: string;
  files: ProposedFile[];
  verdict?: { summary: string };
}

export interface ProposedFile {
  path: string;
  change: 'new' | 'deleted' | 'renamed' | 'copied' | 'changed';
  old_path?: string;
  added: number;
  removed: number;
}

export interface Accepted {
  files: { path: string; merged: boolean; in_editor: boolean }[];
}

/** Outcome of a check: what tools say of a proposal that they do not say without it. */
export interface Checked {
  passed: boolean;
  summary: string;
  n_new: number;
  n_gone: number;
  new: CheckedLine[];
}

/** What a tool says; `line` counts from one, as patched. */
export interface CheckedLine {
  runner: string;
  severity: 'error' | 'warning';
  message: string;
  path?: string;
  line?: number;
  test?: string;
}

export const requests = {
  overlays: 'packhound/overlays',
  overlay: 'packhound/overlay',
  overlayText: 'packhound/overlayText',
  check: 'packhound/check',
  accept: 'packhound/accept',
  reject: 'packhound/reject',
  discard: 'packhound/discard_overlay',
} as const;
