import * as vscode from 'vscode';
import type { HitActions } from '../hitActions';
import type { SearchResults } from '../protocol';
import type { ResultSet, Results } from '../results/results';
import { noteItems } from './hitItem';
import { HitList } from './hitList';
import { toSideBar } from './liveList';

/** A list that is asked for once. */
export interface ListQuestion {
  title: string;
  placeholder: string;
  /** What the history of the side bar calls it. */
  name: string;
  nothing: string;
  ask: (token?: vscode.CancellationToken) => Promise<SearchResults>;
  rows: (response: SearchResults) => vscode.QuickPickItem[];
}

/** Lists an answer. What the side bar shows stays until asked for; its history has the answer. */
export async function showList(
  results: Results,
  actions: HitActions,
  question: ListQuestion,
): Promise<void> {
  const list = new HitList(actions);
  const { pick } = list;
  pick.title = question.title;
  pick.placeholder = question.placeholder;
  pick.busy = true;
  const request = new vscode.CancellationTokenSource();
  list.onDidClose(() => {
    request.cancel();
  });
  list.show();
  try {
    const response = await question.ask(request.token);
    if (request.token.isCancellationRequested) {
      return;
    }
    const again = () => question.ask();
    const resultSet: ResultSet = { title: question.name, results: response, again };
    results.setLatest(response);
    results.offer(resultSet);
    pick.buttons = [toSideBar];
    pick.onDidTriggerButton(() => {
      results.keep(resultSet);
      void vscode.commands.executeCommand('packhound.results.focus');
    });
    const nothing = response.hits.length === 0 && response.notes.length === 0;
    const notes = nothing ? [question.nothing] : response.notes;
    list.setRows([...noteItems(notes), ...question.rows(response)]);
    pick.busy = false;
  } catch (error) {
    if (!request.token.isCancellationRequested) {
      pick.hide();
      throw error;
    }
  } finally {
    request.dispose();
  }
}
