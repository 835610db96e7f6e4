import * as vscode from 'vscode';
import { bar, negativeBar, signed } from '../explain/bars';
import { contributionTable, signalName } from '../explain/contributionTable';
import type { Hit, Signal } from '../protocol';
import { mainSignals } from '../explain/mainSignals';
import { iconOf, titleOf } from '../search/hitText';
import { groupByFile, type FileGroup } from './grouping';
import type { Results } from './results';

const BAR_CELLS = 6;
const MOST_REASONS = 6;

type Row =
  | { type: 'file'; group: FileGroup }
  | { type: 'hit'; hit: Hit }
  | { type: 'reason'; signal: Signal; most: number }
  | { type: 'others'; count: number; add: number };

export type HitRow = Extract<Row, { type: 'hit' }>;

/** Kept results: files, their hits, and under each hit the reasons for its place. */
export class ResultTree implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  private readonly view: vscode.TreeView<Row>;
  readonly onDidChangeTreeData = this.changes.event;

  constructor(private readonly results: Results) {
    this.view = vscode.window.createTreeView('packhound.results', {
      treeDataProvider: this,
      showCollapseAll: true,
    });
    results.onDidChange(() => {
      this.changes.fire();
      this.describe();
    });
  }

  getChildren(row?: Row): Row[] {
    if (!row) {
      const hits = this.results.inSideBar?.hits ?? [];
      return groupByFile(hits).map((group) => ({ type: 'file', group }));
    }
    if (row.type === 'file') {
      return row.group.hits.map((hit) => ({ type: 'hit', hit }));
    }
    if (row.type === 'hit') {
      return reasons(row.hit);
    }
    return [];
  }

  getTreeItem(row: Row): vscode.TreeItem {
    switch (row.type) {
      case 'file':
        return fileItem(row.group);
      case 'hit':
        return hitItem(row);
      case 'reason':
        return reasonItem(row.signal, row.most);
      case 'others':
        return othersItem(row.count, row.add);
    }
  }

  dispose(): void {
    this.view.dispose();
    this.changes.dispose();
  }

  private describe(): void {
    const kept = this.results.inSideBar;
    this.view.description = kept?.query ?? '';
    this.view.message = kept?.hits.length === 0 ? 'Nothing was found.' : '';
  }
}

function fileItem(group: FileGroup): vscode.TreeItem {
  const item = new vscode.TreeItem(
    vscode.Uri.parse(group.uri),
    vscode.TreeItemCollapsibleState.Expanded,
  );
  item.iconPath = vscode.ThemeIcon.File;
  item.description = group.path.split('/').slice(0, -1).join('/');
  item.id = group.uri;
  return item;
}

function hitItem(row: HitRow): vscode.TreeItem {
  const { hit } = row;
  const item = new vscode.TreeItem(titleOf(hit), vscode.TreeItemCollapsibleState.Collapsed);
  item.iconPath = new vscode.ThemeIcon(iconOf(hit.kind));
  item.description = `#${hit.rank} · line ${hit.start_line} · ${hit.score.toFixed(2)}`;
  item.tooltip = new vscode.MarkdownString(contributionTable(hit.why).join('\n'));
  item.contextValue = 'hit';
  item.command = { command: 'packhound.result.open', title: 'Open Result', arguments: [row] };
  return item;
}

function reasons(hit: Hit): Row[] {
  const { main, others, othersAdd } = mainSignals(hit.why, MOST_REASONS);
  const most = Math.abs(main[0]?.contribution ?? 1);
  const rows: Row[] = main.map((signal) => ({ type: 'reason', signal, most }));
  return others > 0 ? [...rows, { type: 'others', count: others, add: othersAdd }] : rows;
}

function reasonItem(signal: Signal, most: number): vscode.TreeItem {
  const item = new vscode.TreeItem(signalName(signal.signal));
  const share = Math.abs(signal.contribution) / most;
  const drawn = signal.contribution < 0 ? negativeBar(share, BAR_CELLS) : bar(share, BAR_CELLS);
  item.description = `${signed(signal.contribution)} ${drawn}`;
  item.iconPath = new vscode.ThemeIcon(signal.contribution < 0 ? 'arrow-down' : 'arrow-up');
  item.tooltip = `${signal.value.toFixed(3)} times weight ${signal.weight.toFixed(3)}`;
  return item;
}

function othersItem(count: number, add: number): vscode.TreeItem {
  const item = new vscode.TreeItem(`${count} others`);
  item.description = signed(add);
  item.iconPath = new vscode.ThemeIcon('ellipsis');
  return item;
}
