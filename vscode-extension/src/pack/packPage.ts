import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { methods, type Pack } from '../protocol';
import type { PackhoundClient } from '../server/packhoundClient';

/** Shows a pack of this session as the server's page, in one panel, which runs no scripts. */
export async function showPackPage(
  client: PackhoundClient,
  { id, budget }: Pack,
  prompt: string,
): Promise<void> {
  const { html } = await client.request<{ html: string }>(methods.packPage, { id, budget, prompt });
  panel ??= newPanel();
  panel.webview.html = html;
  panel.reveal(vscode.ViewColumn.Active);
}

function newPanel(): vscode.WebviewPanel {
  const created = vscode.window.createWebviewPanel(
    'packhound.packPage',
    t('Context pack'),
    vscode.ViewColumn.Active,
  );
  created.onDidDispose(() => {
    panel = undefined;
  });
  return created;
}

let panel: vscode.WebviewPanel | undefined;
