import * as vscode from 'vscode';
import { keyOf, type Hit, type SearchResults } from '../protocol';
import { isPartial } from '../status/indexReady';

const MOST_EARLIER = 20;

/** Results for the side bar, and how to ask for them again. */
export interface ResultSet {
  title: string;
  results: SearchResults;
  again: () => Promise<SearchResults>;
}

/** What the last search found, and what the side bar shows and has shown. */
export class Results implements vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  private current: ResultSet | undefined;
  private earlier: ResultSet[] = [];
  private last: SearchResults | undefined;
  readonly onDidChange = this.changes.event;

  /** The results that explanations compare with. */
  get latest(): SearchResults | undefined {
    return this.last;
  }

  get inSideBar(): ResultSet | undefined {
    return this.current;
  }

  /** The newest first. */
  get history(): readonly ResultSet[] {
    return this.earlier;
  }

  setLatest(results: SearchResults): void {
    this.last = results;
  }

  /** Shows results in the side bar. */
  keep(resultSet: ResultSet): void {
    this.remember(resultSet);
    this.current = resultSet;
    this.last = resultSet.results;
    this.changes.fire();
  }

  /** Shows results in the side bar if that is empty; its history has them in any case. */
  offer(resultSet: ResultSet): void {
    if (this.current) {
      this.remember(resultSet);
    } else {
      this.keep(resultSet);
    }
  }

  /** Asks again for what the side bar shows. */
  async refresh(): Promise<void> {
    const resultSet = this.current;
    if (resultSet) {
      this.keep({ ...resultSet, results: await resultSet.again() });
    }
  }

  /** Asks again for what the side bar shows of an index that was not complete. */
  async complete(): Promise<void> {
    if (this.current && isPartial(this.current.results)) {
      await this.refresh();
    }
  }

  clear(): void {
    this.current = undefined;
    this.changes.fire();
  }

  /** The results that a hit stands in, for its explanation. */
  around(hit: Hit): SearchResults | undefined {
    const key = keyOf(hit);
    return [this.last, this.current?.results].find((results) =>
      results?.hits.some((other) => keyOf(other) === key),
    );
  }

  dispose(): void {
    this.changes.dispose();
  }

  private remember(resultSet: ResultSet): void {
    const others = this.earlier.filter(({ title }) => title !== resultSet.title);
    this.earlier = [resultSet, ...others].slice(0, MOST_EARLIER);
  }
}
