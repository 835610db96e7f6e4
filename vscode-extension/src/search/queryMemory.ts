import type * as vscode from 'vscode';
import { remember } from './queryHistory';

const KEY = 'packhound.queries';
const LAST_KEY = 'packhound.lastQuery';

/** The user's last queries in this workspace. */
export class QueryMemory {
  constructor(private readonly state: vscode.Memento) {}

  get queries(): string[] {
    return this.state.get<string[]>(KEY, []);
  }

  /** What the box of the search held when it was closed. */
  get last(): string {
    return this.state.get<string>(LAST_KEY, '');
  }

  set last(query: string) {
    void this.state.update(LAST_KEY, query);
  }

  add(query: string): void {
    void this.state.update(KEY, remember(this.queries, query));
  }

  clear(): void {
    void this.state.update(KEY, []);
    this.last = '';
  }
}
