import * as vscode from 'vscode';
import type { HitActions } from '../hitActions';
import { uriOfPath } from '../places';
import type { GrepGroup, GrepLine, GrepResults, Hit, SearchResults } from '../protocol';
import type { Results } from '../results/results';
import type { PackhoundClient } from '../server/packhoundClient';
import { UNRANKED } from './links';
import { buttons, noteItem, pinButton, type HitItem } from './hitItem';
import { iconOf, placeOf } from './hitText';
import { LiveList } from './liveList';

const MOST_LINES = 200;

/** Finds the lines that match a regular expression, as the user types it. */
export function grepAsTyped(
  client: PackhoundClient,
  results: Results,
  actions: HitActions,
  pattern: string,
): void {
  const list = new LiveList(client, results, actions, {
    title: 'Packhound: Find Lines',
    placeholder: 'A regular expression, such as \\bretry\\w*\\( — unsaved text included',
    ask: async (text, token) => {
      const params = { pattern: text, limit: MOST_LINES };
      const response = await client.grep(params, token);
      const again = async (): Promise<SearchResults> => asResults(await client.grep(params));
      return {
        rows: [
          ...noteRows(response),
          ...asResults(response).hits.map((hit) => lineItem(hit, actions)),
        ],
        resultSet: { title: `/${text}/`, results: asResults(response), again },
      };
    },
    rowsWithoutText: () => [],
    onClose: () => undefined,
  });
  list.show(pattern);
}

function noteRows({ total_lines, total_files, notes }: GrepResults): vscode.QuickPickItem[] {
  const total = `${total_lines.toLocaleString('en-US')} lines in ${total_files.toLocaleString('en-US')} files`;
  return [total, ...notes].map((note) => noteItem(note));
}

function lineItem(hit: Hit, { pins }: HitActions): HitItem {
  return {
    iconPath: new vscode.ThemeIcon(iconOf(hit.kind)),
    label: hit.line,
    description: `${placeOf(hit)} ${hit.qualname}`,
    alwaysShow: true,
    buttons: [buttons.side, pinButton(hit, pins)],
    hit,
  };
}

/** Each matching line as a hit, for the lists and actions that hits have. */
function asResults(response: GrepResults): SearchResults {
  const hits = response.groups.flatMap((group) =>
    group.lines.filter(({ match }) => match).map((line) => lineHit(group, line)),
  );
  const { generation, took_ms, notes, pattern } = response;
  const counts = { truncated: response.next_offset >= 0, candidates: response.total_lines };
  return { query: `/${pattern}/`, hits, ...counts, generation, took_ms, notes };
}

function lineHit(group: GrepGroup, row: GrepLine): Hit {
  const { line, text, cell } = row;
  const start = { line: line - 1, character: text.length - text.trimStart().length };
  const range = row.range ?? { start, end: { line: line - 1, character: text.length } };
  return {
    ...UNRANKED,
    ...{ path: group.path, start_line: line, end_line: line, line: text.trim() },
    ...{ kind: group.kind, name: group.name, qualname: group.qualname },
    ...{ uri: row.uri ?? group.uri ?? uriOfPath(group.path), range, selectionRange: range },
    ...(cell && { cell }),
  };
}
