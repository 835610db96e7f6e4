import type * as vscode from 'vscode';
import type { SearchResults } from '../protocol';
import type { PackhoundClient } from '../server/packhoundClient';

/** Calls `run` whenever the index has become ready after work. */
export function onIndexReady(client: PackhoundClient, run: () => void): vscode.Disposable {
  let wasReady = false;
  return client.onDidChangeState((state) => {
    const isReady = state.kind === 'running' && state.index?.pending === 0;
    if (isReady && !wasReady) {
      run();
    }
    wasReady = isReady;
  });
}

/** The answer is of a part of the files: a note says how many were read. */
export function isPartial({ notes }: Pick<SearchResults, 'notes'>): boolean {
  return notes.some((note) => /\d files read/.test(note));
}
