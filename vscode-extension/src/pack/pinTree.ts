import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { HitRow } from '../results/resultTree';
import { UNRANKED } from '../search/links';
import { iconOf, placeOf, titleOf } from '../search/hitText';
import type { Hit } from '../protocol';
import type { Pins } from './pins';

/** What VS Code calls rows of the results; it does not say which. */
const RESULTS = 'application/vnd.code.tree.packhound.results';
const FILES = 'text/uri-list';
// As a message: nothing can be dropped on a view that shows its welcome text.
const NOTHING = t(
  'Nothing was added yet. Drag results and files here, or press + on a result: the next pack has them, whatever the prompt.',
);
const START = { line: 0, character: 0 };

/** What goes into the next context pack: results and files can be dropped here. */
export class PinTree
  implements
    vscode.TreeDataProvider<HitRow>,
    vscode.TreeDragAndDropController<HitRow>,
    vscode.Disposable
{
  readonly dropMimeTypes = [RESULTS, FILES];
  readonly dragMimeTypes = [];
  private readonly changes = new vscode.EventEmitter<void>();
  private readonly view: vscode.TreeView<HitRow>;
  readonly onDidChangeTreeData = this.changes.event;

  constructor(
    private readonly pins: Pins,
    private readonly dragged: () => readonly Hit[],
  ) {
    this.view = vscode.window.createTreeView('packhound.pins', {
      treeDataProvider: this,
      dragAndDropController: this,
    });
    this.view.message = NOTHING;
    pins.listeners.push(() => {
      this.changes.fire();
      this.view.message = pins.count > 0 ? '' : NOTHING;
      const tooltip = t('{0} in the next context pack', pins.count);
      this.view.badge = pins.count > 0 ? { value: pins.count, tooltip } : undefined;
      void vscode.commands.executeCommand('setContext', 'packhound.hasPins', pins.count > 0);
    });
  }

  getChildren(row?: HitRow): HitRow[] {
    return row ? [] : this.pins.hits.map((hit) => ({ type: 'hit', hit }));
  }

  getTreeItem(row: HitRow): vscode.TreeItem {
    const item = new vscode.TreeItem(titleOf(row.hit));
    item.iconPath = new vscode.ThemeIcon(iconOf(row.hit.kind));
    item.description = placeOf(row.hit);
    item.contextValue = 'hit pinned';
    item.command = { command: 'packhound.result.open', title: t('Open'), arguments: [row, true] };
    return item;
  }

  async handleDrop(_target: HitRow | undefined, data: vscode.DataTransfer): Promise<void> {
    const files = (await data.get(FILES)?.asString()) ?? '';
    const hits = data.get(RESULTS)
      ? this.dragged()
      : files.split(/\r?\n/).filter(Boolean).map(fileHit);
    for (const hit of hits) {
      this.pins.add(hit);
    }
  }

  dispose(): void {
    this.view.dispose();
    this.changes.dispose();
  }
}

/** A whole file, which has no lines to name. */
function fileHit(address: string): Hit {
  const uri = vscode.Uri.parse(address);
  const range = { start: START, end: START };
  return {
    ...UNRANKED,
    ...{ path: vscode.workspace.asRelativePath(uri, false), start_line: 1, end_line: 0 },
    ...{ kind: 'file', name: '', qualname: '', uri: uri.toString(), range, selectionRange: range },
  };
}
