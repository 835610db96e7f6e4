import * as vscode from 'vscode';
import type { Hit, SearchResults } from '../protocol';

/** What the last search found: shown in a list, or kept for the side bar. */
export class Results implements vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  private kept: SearchResults | undefined;
  private last: SearchResults | undefined;
  readonly onDidChange = this.changes.event;

  /** The results that explanations compare with. */
  get latest(): SearchResults | undefined {
    return this.last;
  }

  get inSideBar(): SearchResults | undefined {
    return this.kept;
  }

  answered(results: SearchResults): void {
    this.last = results;
  }

  keep(results: SearchResults): void {
    this.last = results;
    this.kept = results;
    this.changes.fire();
  }

  clear(): void {
    this.kept = undefined;
    this.changes.fire();
  }

  /** The results that a hit stands in, for its explanation. */
  around(hit: Hit): SearchResults | undefined {
    return [this.last, this.kept].find((results) => results?.hits.includes(hit));
  }

  dispose(): void {
    this.changes.dispose();
  }
}
