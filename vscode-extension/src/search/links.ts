import { t } from '@vscode/l10n';
import type {
  ChangedFile,
  Changes,
  Hit,
  Link,
  RelatedFile,
  SearchResults,
  SymbolAnswer,
} from '../protocol';

/** What a hit has that was not ranked. */
export const UNRANKED = {
  ...{ rank: 0, score: 0, line: '', reasons: [] },
};
const START = { line: 0, character: 0 };
const MOST_TESTS = 5;

/** What a definition touches, as results in parts; a call opens where it is made. */
export function symbolResults(symbol: SymbolAnswer): SearchResults {
  const { callers, mentions, callees, implementations, tests } = symbol;
  const n = symbol.totals.mentions;
  const named =
    n === 1
      ? t('No known caller; 1 line uses this name')
      : t('No known caller; {0} lines use this name', n);
  return results(symbol.qualname || symbol.name, [
    ...callers.map((link) => atCall(link, t('Called by'))),
    ...(callers.length ? [] : mentions).map((each) => ({
      ...atCall(each, named),
      line: each.text,
    })),
    ...callees.map((link) => asHit(link, t('Calls'), remarks(link))),
    ...implementations.map((link) => asHit(link, t('Implemented by'))),
    ...tests.map((link) => atCall(link, t('Tests that reach it'))),
  ]);
}

/** What breaks, what is changed and what that touches, as results in parts. */
export function changesResults(
  changes: Changes,
  uriOf: (path: string, root?: string) => string,
): SearchResults {
  const file = ({ path, root }: ChangedFile, section: string, reasons: string[] = []): Hit => ({
    ...UNRANKED,
    ...{ path, start_line: 1, end_line: 1, kind: 'file', name: '', qualname: '' },
    ...{ uri: uriOf(path, root) },
    ...{ range: { start: START, end: START }, selectionRange: { start: START, end: START } },
    ...{ section, reasons },
  });
  const related = (section: string, files: RelatedFile[]): Hit[] => {
    // The title shares the line of the first row.
    const ofFirst = files.length > 1 ? (files[0]?.reasons ?? []) : [];
    const shared = ofFirst
      .filter((one) => files.every(({ reasons }) => reasons.includes(one)))
      .slice(0, 1);
    const title = [section, ...shared].join(' · ');
    return files.map((each) =>
      file(
        each,
        title,
        each.reasons.filter((one) => !shared.includes(one)),
      ),
    );
  };
  const tests = changes.tests.slice(0, MOST_TESTS);
  const isTest = ({ path, root }: ChangedFile): boolean =>
    tests.some((test) => test.path === path && test.root === root);
  const callers = changes.definitions.flatMap((each) => each.callers);
  const distinct = new Map(callers.map((link) => [`${link.uri}:${link.start_line}`, link]));
  const { unresolved, calls, lacking, imports } = changes;
  return results('changes', [
    ...[...unresolved, ...calls, ...lacking, ...imports].map((each) => {
      const reason = each.gone === undefined ? each.uses : t('{0} is gone', each.gone);
      return at({ ...asHit(each, t('Breaks by it'), [reason]), line: each.text }, each.line);
    }),
    ...changes.definitions.map((each) => at(asHit(each, t('Changed')), each.lines[0]?.[0])),
    ...changes.files.map((each) => file(each, t('Changed'))),
    ...changes.renamed.map((each) => file(each, t('Changed'), [t('was {0}', each.old_path)])),
    ...related(t('Tests to run'), tests),
    ...[...distinct.values()].map((link) => atCall(link, t('Callers of what changed'))),
    ...related(
      t('May change too'),
      changes.related.filter((each) => !isTest(each)),
    ),
  ]);
}

function results(query: string, hits: Hit[]): SearchResults {
  return { query, hits, notes: [] };
}

function atCall(link: Link, section: string): Hit {
  return at(asHit(link, section, remarks(link)), link.line);
}

function asHit(link: Link, section: string, reasons: string[] = []): Hit {
  return { ...UNRANKED, ...link, line: '', section, reasons };
}

/** The hit opened at a 1-based line instead of its name. */
function at(hit: Hit, line: number | undefined): Hit {
  const start = line === undefined ? undefined : { line: line - 1, character: 0 };
  return start ? { ...hit, selectionRange: { start, end: start } } : hit;
}

function remarks({ distance = 1, grade = 'resolved', by }: Link): string[] {
  return [
    ...(distance > 1 ? [t('{0} calls away', distance)] : []),
    ...(grade === 'resolved' ? [] : [grade]),
    ...(by ? [t('by {0}', by)] : []),
  ];
}
