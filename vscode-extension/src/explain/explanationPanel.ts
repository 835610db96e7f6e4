import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Hit } from '../protocol';
import type { PackhoundClient } from '../server/packhoundClient';
import { explanationPage } from './explanationPage';

/** Shows why a hit has its rank, with the signals of each group if the server still finds it. */
export async function showExplanation(
  client: PackhoundClient,
  hit: Hit,
  query: string,
): Promise<void> {
  const position = hit.selectionRange.start;
  const explained = query
    ? (await client.explain({ uri: hit.uri, position, query, git: true })).hit
    : null;
  // The place of the hit among those that are shown, whose filters an explanation leaves out.
  openPage(explained ? { ...explained, rank: hit.rank } : hit, query);
}

/** Opens the page in the active column; there is one, which the next one replaces. */
export function openPage(hit: Hit, query: string): void {
  panel ??= newPanel();
  panel.webview.html = explanationPage(hit, query);
  panel.reveal(vscode.ViewColumn.Active);
  void vscode.commands.executeCommand('setContext', 'packhound.hasExplained', true);
}

function newPanel(): vscode.WebviewPanel {
  const created = vscode.window.createWebviewPanel(
    'packhound.why',
    t('Why it ranked here'),
    vscode.ViewColumn.Active,
  );
  created.onDidDispose(() => {
    panel = undefined;
  });
  return created;
}

let panel: vscode.WebviewPanel | undefined;
