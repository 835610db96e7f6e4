import type * as vscode from 'vscode';
import { remember } from './queryHistory';

const KEY = 'packhound.queries';

/** The user's last queries in this workspace. */
export class QueryMemory {
  constructor(private readonly state: vscode.Memento) {}

  get queries(): string[] {
    return this.state.get<string[]>(KEY, []);
  }

  add(query: string): void {
    void this.state.update(KEY, remember(this.queries, query));
  }

  clear(): void {
    void this.state.update(KEY, []);
  }
}
