import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { isCode, keyOf, type Hit } from '../protocol';
import type { Pins } from '../pack/pins';
import { iconOf, placeOf, reasonsOf, spokenOf, titleOf } from '../search/hitText';
import { marksOf, matchRanges } from '../search/matches';
import { groupByFile, implsByType, isTest, type FileGroup } from './grouping';
import type { Results } from './results';

type Row =
  | { type: 'file'; group: FileGroup }
  | { type: 'hit'; hit: Hit; below?: Hit }
  | { type: 'line'; text: string; icon: string; hit: Hit };

export type HitRow = Extract<Row, { type: 'hit' }>;

/** Kept results: files, their hits, and under each hit its impl blocks and reasons. */
export class ResultTree
  implements vscode.TreeDataProvider<Row>, vscode.TreeDragAndDropController<Row>, vscode.Disposable
{
  readonly dragMimeTypes = [];
  readonly dropMimeTypes = [];
  private readonly changes = new vscode.EventEmitter<Row[] | undefined>();
  private readonly view: vscode.TreeView<Row>;
  /** What was dragged last. */
  dragged: readonly Hit[] = [];
  /** By the keys of their hits. */
  private readonly rows = new Map<string, HitRow>();
  private impls = new Map<Hit, Hit[]>();
  readonly onDidChangeTreeData = this.changes.event;

  constructor(
    private readonly results: Results,
    private readonly pins: Pins,
  ) {
    this.view = vscode.window.createTreeView('packhound.results', {
      treeDataProvider: this,
      showCollapseAll: true,
      canSelectMany: true,
      dragAndDropController: this,
    });
    results.onDidChange(() => {
      this.changes.fire(undefined);
      this.describe();
    });
    // No other row: VS Code forgets which one is selected, also by a click of that moment, while it
    // asks for all of them anew.
    pins.listeners.push((changed) => {
      const rows = changed.flatMap((hit) => this.rows.get(keyOf(hit)) ?? []);
      if (rows.length > 0) {
        this.changes.fire(rows);
      }
    });
  }

  /** The hit of a row, or of the selected one for a command without a row. */
  hitOf(row: HitRow | undefined): Hit {
    const [selected] = this.view.selection;
    const hit = row?.hit ?? (selected && 'hit' in selected ? selected.hit : undefined);
    if (!hit) {
      throw new Error(t('Select a result in the side bar first; then ask again.'));
    }
    return hit;
  }

  /** The hits of the rows that a command is for, or of all that are selected. */
  hitsOf(row: HitRow | undefined, rows: unknown): Hit[] {
    const chosen = Array.isArray(rows) ? (rows as Row[]) : row ? [row] : this.view.selection;
    const hits = chosen.flatMap((each) => ('hit' in each ? [each.hit] : each.group.hits));
    return hits.length > 0 ? [...new Set(hits)].filter(isCode) : [this.hitOf(row)];
  }

  getChildren(row?: Row): Row[] {
    if (!row) {
      return this.fileRows();
    }
    if (row.type === 'file') {
      return row.group.hits.map((hit) => this.hitRow(hit));
    }
    if (row.type === 'hit') {
      const impls = row.below ? [] : (this.impls.get(row.hit) ?? []);
      return [...lines(row.hit), ...impls.map((hit) => this.hitRow(hit, row.hit))];
    }
    return [];
  }

  getTreeItem(row: Row): vscode.TreeItem {
    switch (row.type) {
      case 'file':
        return fileItem(row.group);
      case 'hit':
        return hitItem(row, this.pins.has(row.hit));
      case 'line':
        return lineItem(row.text, row.icon, row.hit);
    }
  }

  handleDrag(rows: readonly Row[]): void {
    const hits = rows.flatMap((row) => (row.type === 'file' ? row.group.hits : [row.hit]));
    this.dragged = hits.filter(isCode);
  }

  dispose(): void {
    this.view.dispose();
    this.changes.dispose();
  }

  private hitRow(hit: Hit, below?: Hit): HitRow {
    const row: HitRow = { type: 'hit', hit, ...(below && { below }) };
    this.rows.set(keyOf(hit), row);
    return row;
  }

  private fileRows(): Row[] {
    this.rows.clear();
    const hits = this.results.inSideBar?.results.hits ?? [];
    this.impls = implsByType(hits);
    const folded = new Set([...this.impls.values()].flat());
    return groupByFile(hits.filter((hit) => !folded.has(hit))).map((group) => ({
      type: 'file',
      group,
    }));
  }

  private describe(): void {
    const resultSet = this.results.inSideBar;
    this.view.description = resultSet?.title ?? '';
    this.view.message = resultSet?.results.hits.length === 0 ? t('Nothing was found.') : '';
    void vscode.commands.executeCommand(
      'setContext',
      'packhound.hasResults',
      resultSet !== undefined,
    );
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

function hitItem(row: HitRow, pinned: boolean): vscode.TreeItem {
  const { hit, below } = row;
  const item = new vscode.TreeItem(titleOf(hit), vscode.TreeItemCollapsibleState.Collapsed);
  const elsewhere = below && below.uri !== hit.uri;
  const place = elsewhere ? placeOf(hit) : t('line {0}', hit.selectionRange.start.line + 1);
  item.iconPath = new vscode.ThemeIcon(pinned ? 'check' : iconOf(hit.kind));
  item.description = below ? place : [place, hit.line].filter(Boolean).join('  ');
  item.tooltip = [hit.line, reasonsOf(hit)].filter(Boolean).join('\n');
  item.accessibilityInformation = { label: spokenOf(hit) };
  const words = [isCode(hit) ? 'hit' : 'record', pinned && 'pinned', isTest(hit) && 'test'];
  item.contextValue = words.filter(Boolean).join(' ');
  // The keys of the side bar go on working, as in VS Code's own search.
  item.command = {
    command: 'packhound.result.open',
    title: t('Open Result'),
    arguments: [row, true],
  };
  return item;
}

/** The best line of a hit, and its reasons. */
function lines(hit: Hit): Row[] {
  const rows: Row[] = [
    { type: 'line', text: hit.line, icon: 'code', hit },
    { type: 'line', text: reasonsOf(hit), icon: 'info', hit },
    ...(hit.notes ?? []).map(({ title, text }): Row => {
      return { type: 'line', text: title ? `${title}: ${text}` : text, icon: 'note', hit };
    }),
  ];
  return rows.filter((row) => row.type === 'line' && row.text !== '');
}

function lineItem(text: string, icon: string, hit: Hit): vscode.TreeItem {
  const highlights = icon === 'code' ? matchRanges(text, marksOf(hit)) : [];
  const item = new vscode.TreeItem({ label: text, highlights });
  item.iconPath = new vscode.ThemeIcon(icon);
  return item;
}
