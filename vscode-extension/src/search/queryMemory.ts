import type * as vscode from 'vscode';
import { remember } from './queryHistory';

const KEY = 'packhound.queries';
const LAST_KEY = 'packhound.lastQuery';
const SAVED_KEY = 'packhound.savedQueries';

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

  /** Those that the user keeps, by their texts. */
  get saved(): string[] {
    return this.state.get<string[]>(SAVED_KEY, []);
  }

  /** Keeps a query, or one that is kept no more. */
  toggleSaved(query: string): void {
    const others = this.saved.filter((each) => each !== query);
    const isNew = query !== '' && others.length === this.saved.length;
    void this.state.update(SAVED_KEY, isNew ? [...others, query].sort() : others);
  }

  add(query: string): void {
    void this.state.update(KEY, remember(this.queries, query));
  }

  clear(): void {
    void this.state.update(KEY, []);
    this.last = '';
  }
}
