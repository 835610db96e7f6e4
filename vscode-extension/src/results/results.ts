import * as vscode from 'vscode';
import { keyOf, type Hit, type SearchResults } from '../protocol';
import { isPartial } from '../status/indexReady';

const MOST_EARLIER = 20;

/** Results for the side bar, and how to ask for them again. */
export interface KeptResults {
  title: string;
  results: SearchResults;
  again: () => Promise<SearchResults>;
}

/** What the last search found, and what the side bar shows and has shown. */
export class Results implements vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  private shown: KeptResults | undefined;
  private earlier: KeptResults[] = [];
  private last: SearchResults | undefined;
  readonly onDidChange = this.changes.event;

  /** The results that explanations compare with. */
  get latest(): SearchResults | undefined {
    return this.last;
  }

  get inSideBar(): KeptResults | undefined {
    return this.shown;
  }

  /** The newest first. */
  get history(): readonly KeptResults[] {
    return this.earlier;
  }

  answered(results: SearchResults): void {
    this.last = results;
  }

  /** Shows results in the side bar. */
  keep(kept: KeptResults): void {
    this.remember(kept);
    this.shown = kept;
    this.last = kept.results;
    this.changes.fire();
  }

  /** Shows results in the side bar if that is empty; its history has them in any case. */
  offer(kept: KeptResults): void {
    if (this.shown) {
      this.remember(kept);
    } else {
      this.keep(kept);
    }
  }

  /** Asks again for what the side bar shows. */
  async refresh(): Promise<void> {
    const kept = this.shown;
    if (kept) {
      this.keep({ ...kept, results: await kept.again() });
    }
  }

  /** Asks again for what the side bar shows of an index that was not complete. */
  async complete(): Promise<void> {
    if (this.shown && isPartial(this.shown.results)) {
      await this.refresh();
    }
  }

  clear(): void {
    this.shown = undefined;
    this.changes.fire();
  }

  /** The results that a hit stands in, for its explanation. */
  around(hit: Hit): SearchResults | undefined {
    const key = keyOf(hit);
    return [this.last, this.shown?.results].find((results) =>
      results?.hits.some((other) => keyOf(other) === key),
    );
  }

  dispose(): void {
    this.changes.dispose();
  }

  private remember(kept: KeptResults): void {
    const others = this.earlier.filter(({ title }) => title !== kept.title);
    this.earlier = [kept, ...others].slice(0, MOST_EARLIER);
  }
}
