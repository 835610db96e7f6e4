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
  change: 'new' | 'deleted' | 'renamed' | 'changed';
  old_path?: string;
  added: number;
  removed: number;
}

export interface Accepted {
  files: { path: string; merged: boolean; in_editor: boolean }[];
}

export const requests = {
  overlays: 'packhound/overlays',
  overlay: 'packhound/overlay',
  overlayText: 'packhound/overlayText',
  accept: 'packhound/accept',
  reject: 'packhound/reject',
  discard: 'packhound/discard_overlay',
} as const;
