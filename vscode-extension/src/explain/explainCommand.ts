import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { focus } from '../places';
import type { Results } from '../results/results';
import type { PackhoundClient } from '../server/packhoundClient';
import { openPage } from './explanationPanel';

/** Opens why the definition at the cursor ranks where it does for the last query. */
export async function explainAtCursor(client: PackhoundClient, results: Results): Promise<void> {
  const place = focus();
  if (!place) {
    throw new Error(t('Put the cursor into a file of the workspace first; then ask again.'));
  }
  const query = results.latest?.query ?? (await askForQuery());
  if (!query) {
    return;
  }
  const { hit } = await client.explain({ ...place, query, git: true });
  if (!hit) {
    throw new Error(
      t('There is nothing at the cursor that a search could find. Move it into a definition.'),
    );
  }
  openPage(hit, query);
}

function askForQuery(): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: t('Packhound: Explain Ranking'),
    prompt: t(
      'Nothing was searched yet. For which query should the definition at the cursor be scored?',
    ),
  });
}
