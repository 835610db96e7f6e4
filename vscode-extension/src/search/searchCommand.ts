import * as vscode from 'vscode';
import type { HitActions } from '../hitActions';
import { focus } from '../places';
import type { SearchResults } from '../protocol';
import type { Results } from '../results/results';
import type { PackhoundClient } from '../server/packhoundClient';
import { problemText } from '../problems';
import { suggestions } from './filterSuggestions';
import { HitList } from './hitList';
import { hitItems, noteItem } from './hitItem';
import type { QueryMemory } from './queryMemory';

// Long enough to skip most keys of a fast typist, short enough not to be felt.
const DEBOUNCE_MS = 70;
const toSideBar: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('list-tree'),
  tooltip: 'Keep these results in the side bar',
};

/** A row that types a query: one of the last, or one with other filters. */
interface QueryItem extends vscode.QuickPickItem {
  query: string;
}

/** Search as the user types; `query` is typed for the user to begin with. */
export class SearchSession {
  private readonly list: HitList;
  private readonly here = focus();
  private pending: vscode.CancellationTokenSource | undefined;
  private timer: NodeJS.Timeout | undefined;
  private last: SearchResults | undefined;

  constructor(
    private readonly client: PackhoundClient,
    private readonly results: Results,
    private readonly memory: QueryMemory,
    actions: HitActions,
    query = '',
  ) {
    this.list = new HitList(actions);
    const { pick } = this.list;
    pick.title = 'Packhound: Search Code';
    pick.placeholder = 'A name, or what the code does; kind:class lang:go path:src/** "exact"';
    pick.buttons = [toSideBar];
    pick.value = query;
    pick.onDidChangeValue((value) => {
      this.typed(value);
    });
    pick.onDidTriggerButton(() => {
      this.keep();
    });
    pick.onDidAccept(() => {
      this.takeQuery(pick.activeItems[0]);
    });
    this.list.onDidClose((opened) => {
      this.closed(opened !== undefined);
    });
  }

  show(): void {
    this.list.show();
    this.typed(this.list.pick.value);
  }

  private typed(value: string): void {
    clearTimeout(this.timer);
    this.pending?.cancel();
    this.list.pick.title = 'Packhound: Search Code';
    if (!value.trim()) {
      this.list.pick.busy = false;
      this.list.setRows(this.recentRows());
      return;
    }
    this.list.pick.busy = true;
    this.timer = setTimeout(() => void this.search(value), DEBOUNCE_MS);
  }

  private async search(query: string): Promise<void> {
    const mine = new vscode.CancellationTokenSource();
    this.pending = mine;
    const { pick } = this.list;
    try {
      const found = await this.client.search(
        { query, ...(this.here ? { focus: this.here } : {}) },
        mine.token,
      );
      if (!mine.token.isCancellationRequested) {
        this.last = found;
        this.list.setRows([...noteRows(found), ...hitItems(found.hits), ...suggestionRows(found)]);
      }
    } catch (error) {
      if (!mine.token.isCancellationRequested) {
        this.list.setRows([noteItem(problemText(error), 'error')]);
      }
    } finally {
      if (this.pending === mine) {
        pick.busy = false;
      }
      mine.dispose();
    }
  }

  private recentRows(): QueryItem[] {
    return this.memory.queries.map((query) => ({
      label: `$(history) ${query}`,
      alwaysShow: true,
      query,
    }));
  }

  private takeQuery(item: vscode.QuickPickItem | undefined): void {
    if (item && 'query' in item) {
      const { query } = item as QueryItem;
      this.list.pick.value = query;
      this.typed(query);
    }
  }

  private keep(): void {
    if (this.last) {
      this.memory.add(this.last.query);
      this.results.keep(this.last);
      void vscode.commands.executeCommand('packhound.results.focus');
    }
  }

  private closed(opened: boolean): void {
    clearTimeout(this.timer);
    this.pending?.cancel();
    if (opened && this.last) {
      this.memory.add(this.last.query);
      this.results.keep(this.last);
    }
  }
}

function noteRows(found: SearchResults): vscode.QuickPickItem[] {
  const notes = found.notes.map((note) => noteItem(note));
  return found.hits.length === 0 && notes.length === 0
    ? [noteItem('Nothing found. Say it in other words, or drop a filter.')]
    : notes;
}

function suggestionRows(found: SearchResults): QueryItem[] {
  return suggestions(found.query, found.hits, found.confidence_word).map(({ title, query }) => ({
    label: `$(filter) ${title}`,
    alwaysShow: true,
    query,
  }));
}
