import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Results } from './results';

/** Lets the user choose what the side bar shows from what it has shown or was offered. */
export async function showHistory(results: Results): Promise<void> {
  const items = results.history.map((resultSet) => ({
    label: resultSet.title,
    description: t('{0} results', resultSet.results.hits.length),
    resultSet,
  }));
  const choice = await vscode.window.showQuickPick(items, {
    title: t('Packhound: Earlier Results'),
    placeHolder: items.length > 0 ? t('What shall the side bar show?') : t('Nothing was kept yet'),
  });
  if (choice) {
    results.keep(choice.resultSet);
    await vscode.commands.executeCommand('packhound.results.focus');
  }
}
