import * as vscode from 'vscode';
import { bar, negativeBar, signed } from '../explain/bars';
import { contributionTable, signalName } from '../explain/contributionTable';
import type { Hit, Signal } from '../protocol';
import { iconOf, titleOf } from '../search/hitText';
import { groupByFile, type FileGroup } from './grouping';
import type { Results } from './results';

const BAR_CELLS = 8;

type Row =
  | { type: 'file'; group: FileGroup }
  | { type: 'hit'; hit: Hit }
  | { type: 'reason'; signal: Signal; hit: Hit };

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
      return byWeight(row.hit.why).map((signal) => ({ type: 'reason', signal, hit: row.hit }));
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
        return reasonItem(row.signal, row.hit);
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

function reasonItem(signal: Signal, hit: Hit): vscode.TreeItem {
  const item = new vscode.TreeItem(signalName(signal.signal));
  const most = Math.max(...hit.why.map((other) => Math.abs(other.contribution)), Number.EPSILON);
  const share = Math.abs(signal.contribution) / most;
  const drawn = signal.contribution < 0 ? negativeBar(share, BAR_CELLS) : bar(share, BAR_CELLS);
  item.description = `${drawn} ${signed(signal.contribution)}`;
  item.iconPath = new vscode.ThemeIcon(signal.contribution < 0 ? 'arrow-down' : 'arrow-up');
  item.tooltip = `${signal.value.toFixed(3)} times weight ${signal.weight.toFixed(3)}`;
  return item;
}

function byWeight(why: readonly Signal[]): Signal[] {
  return [...why].sort((one, other) => Math.abs(other.contribution) - Math.abs(one.contribution));
}
