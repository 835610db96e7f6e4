import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { HitActions } from '../hitActions';
import { numeral } from '../numeral';
import { uriOfPath } from '../places';
import type { Hit, SearchResults } from '../protocol';
import type { ReadOnlyDocuments } from '../readOnlyDocuments';
import type { Results } from '../results/results';
import type { PackhoundClient } from '../server/packhoundClient';
import { UNRANKED } from './links';
import { buttons, noteItems, pinButton, type HitItem } from './hitItem';
import { iconOf, placeOf } from './hitText';
import type { GrepGroup, GrepLine, GrepResults } from './grepProtocol';
import { grepParams, linesDocument, markOf, type Matching } from './grepText';
import { LiveList, type Question } from './liveList';
import { Marking } from './marking';
import { matchRanges } from './matches';

const MOST_LINES = 200;
/** Lines around each where they are shown in an editor. */
const CONTEXT = 2;

/** Finds the lines that match, as the user types; buttons say what matches. */
export function grepAsTyped(
  client: PackhoundClient,
  results: Results,
  actions: HitActions,
  documents: ReadOnlyDocuments,
  pattern: string,
): void {
  const matching: Matching = { case: true, word: false, regex: true };
  const toggle = (name: keyof Matching, icon: string, tooltip: string) => ({
    ...{ iconPath: new vscode.ThemeIcon(icon), tooltip },
    press: () => {
      matching[name] = !matching[name];
      question.title = titleOf(matching);
      return true;
    },
  });
  const question: Question = {
    title: titleOf(matching),
    placeholder: t('A regular expression, such as {0} — unsaved text included', '\\bretry\\w*\\('),
    ask: async (text, token) => {
      const params = { ...grepParams(text, matching), limit: MOST_LINES };
      const response = await client.grep(params, token);
      const mark = markOf(text, matching);
      const results = asResults(response, mark);
      const again = async (): Promise<SearchResults> => asResults(await client.grep(params), mark);
      return {
        rows: [
          ...noteItems(notesOf(response)),
          ...results.hits.map((hit) => lineItem(hit, actions)),
        ],
        resultSet: { title: `/${text}/`, results, again },
      };
    },
    buttons: [
      toggle('case', 'case-sensitive', t('Match Case')),
      toggle('word', 'whole-word', t('Match Whole Word')),
      toggle('regex', 'regex', t('Use Regular Expression')),
      {
        ...{ iconPath: new vscode.ThemeIcon('go-to-file'), tooltip: t('Open in an editor') },
        open: async (text) => {
          const params = { ...grepParams(text, matching), limit: MOST_LINES, context: CONTEXT };
          const lines = linesDocument(text, await client.grep(params));
          const { document } = await documents.show(t('Lines'), lines, 'search-result');
          markLines(document, lines, markOf(text, matching));
        },
      },
    ],
    rowsWithoutText: () => [],
    onClose: () => undefined,
  };
  new LiveList(client, results, actions, question).show(pattern);
}

function titleOf({ case: matchesCase, word, regex }: Matching): string {
  const said = [
    matchesCase && t('Match Case'),
    word && t('Match Whole Word'),
    regex && t('Regular Expression'),
  ];
  return [t('Packhound: Find Lines'), ...said.filter(Boolean)].join(' · ');
}

function notesOf({ total_lines, total_files, notes }: GrepResults): string[] {
  const [lines, files] = [total_lines, total_files].map(numeral);
  return [t('{0} lines in {1} files', lines ?? '', files ?? ''), ...notes];
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

const match = new Marking('editor.findMatchHighlight');
let drawing: vscode.Disposable | undefined;

/** What marks the document of lines until the extension ends. */
export const lineMarks = new vscode.Disposable(() => {
  drawing?.dispose();
  match.dispose();
});

/** Marks what was found in `lines` whenever its document, which may have its older text yet, has them. */
function markLines(
  document: vscode.TextDocument,
  lines: string,
  pattern: RegExp | undefined,
): void {
  const ranges = lines.split('\n').flatMap((text, line) => {
    const [number] = /^ +\d+: /.exec(text) ?? [];
    return number === undefined
      ? []
      : matchRanges(text.slice(number.length), pattern).map(
          ([from, to]) => new vscode.Range(line, from + number.length, line, to + number.length),
        );
  });
  const draw = (): void => {
    if (document.getText() !== lines) {
      return;
    }
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document === document) {
        match.draw(editor, ranges);
      }
    }
  };
  drawing?.dispose();
  drawing = vscode.Disposable.from(
    vscode.window.onDidChangeVisibleTextEditors(draw),
    vscode.workspace.onDidChangeTextDocument((change) => {
      if (change.document === document) {
        draw();
      }
    }),
  );
  draw();
}

/** Each matching line as a hit, for the lists and actions that hits have. */
function asResults(response: GrepResults, mark: RegExp | undefined): SearchResults {
  const hits = response.groups.flatMap((group) =>
    group.lines
      .filter(({ match }) => match)
      .map((line) => ({
        ...lineHit(group, line),
        ...(mark && { pattern: mark }),
      })),
  );
  return { query: `/${response.pattern}/`, hits, notes: response.notes };
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
