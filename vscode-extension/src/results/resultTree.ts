import * as vscode from 'vscode';
import type { Hit } from '../protocol';
import { iconOf, reasonsOf, spokenOf, titleOf } from '../search/hitText';
import { groupByFile, type FileGroup } from './grouping';
import type { Results } from './results';

type Row =
  | { type: 'file'; group: FileGroup }
  | { type: 'hit'; hit: Hit }
  | { type: 'line'; text: string; icon: string };

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
      return lines(row.hit);
    }
    return [];
  }

  getTreeItem(row: Row): vscode.TreeItem {
    switch (row.type) {
      case 'file':
        return fileItem(row.group);
      case 'hit':
        return hitItem(row);
      case 'line':
        return lineItem(row.text, row.icon);
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
  item.description = `line ${hit.selectionRange.start.line + 1}`;
  item.tooltip = [hit.line, reasonsOf(hit), hit.counterfactual].filter(Boolean).join('\n');
  item.accessibilityInformation = { label: spokenOf(hit) };
  item.contextValue = 'hit';
  item.command = { command: 'packhound.result.open', title: 'Open Result', arguments: [row] };
  return item;
}

/** The best line of a hit, its reasons, and what would move it. */
function lines(hit: Hit): Row[] {
  const rows: Row[] = [
    { type: 'line', text: hit.line, icon: 'code' },
    { type: 'line', text: reasonsOf(hit), icon: 'info' },
    { type: 'line', text: hit.counterfactual, icon: 'arrow-swap' },
  ];
  return rows.filter((row) => row.type === 'line' && row.text !== '');
}

function lineItem(text: string, icon: string): vscode.TreeItem {
  const item = new vscode.TreeItem(text);
  item.iconPath = new vscode.ThemeIcon(icon);
  return item;
}
