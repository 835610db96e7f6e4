import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KINDS } from './kinds';
import { groupByFile, implsByType, isTest } from '../../src/results/grouping';
import { suggestions } from '../../src/search/filterSuggestions';
import {
  iconOf,
  placeOf,
  reasonsOf,
  rowText,
  shortPlace,
  spokenOf,
  titleOf,
  titlesOf,
  withCopies,
} from '../../src/search/hitText';
import { changesResults, symbolResults } from '../../src/search/links';
import { marksOf, matchedWords, matchRanges } from '../../src/search/matches';
import { notebookCell } from '../../src/search/notebookCell';
import { secondOrder } from '../../src/search/secondOrder';
import { remember } from '../../src/search/queryHistory';
import { isPartial, onIndexReady } from '../../src/status/indexReady';
import { hit, signal } from './hits';

test('every kind of node has an icon of its own choice', () => {
  const records = ['knowledge', 'note', 'decision', 'stash', 'skill', 'commit'];
  for (const kind of [...KINDS, ...records]) {
    assert.notEqual(iconOf(kind), 'symbol-misc', kind);
  }
  assert.equal(iconOf('a kind of tomorrow'), 'symbol-misc');
});

test('a row names what it opens', () => {
  const one = hit(1, 'src/a.py', [signal('body', 0.5), signal('path', -0.2)], 'load');
  assert.equal(titleOf(one), 'load');
  assert.equal(titleOf({ ...one, qualname: '', name: '' }), 'a.py');
  assert.equal(placeOf(one), 'src/a.py:2');
  assert.equal(placeOf({ ...one, path: '', kind: 'commit' }), 'commit');
  assert.equal(placeOf({ ...one, folder: 'east' }), 'east/src/a.py:2');
  const cell = { number: 3, line: 12 };
  assert.equal(placeOf({ ...one, path: 'a.ipynb', cell }), 'a.ipynb:cell 3:12');
  const image = { ...one, path: 'a.png', unread: 'binary by name', reasons: ['not read: binary'] };
  assert.equal(placeOf({ ...image, folder: 'east' }), 'east/a.png');
  assert.equal(reasonsOf(image), 'not read: binary');
});

test('each further place of a text is a row of its own', () => {
  const original = hit(1, 'src/a.py', []);
  const rows = withCopies({ ...original, copies: [{ path: 'src/b.py' }] });
  assert.deepEqual(
    rows.map(({ path, reasons }) => [path, reasons]),
    [
      ['src/a.py', original.reasons],
      ['src/b.py', [`same text as ${placeOf(original)}`]],
    ],
  );
  assert.equal(withCopies(original).length, 1);
});

test('a row gives its reasons first, on a line of their own or behind the place', () => {
  const one = { ...hit(1, 'src/a.py', [], 'load'), confidence_word: 'strong' };
  const reasons = 'named load · closest in meaning · strong';
  assert.deepEqual(rowText(one, 'load', true), { description: 'src/a.py:2', detail: reasons });
  assert.deepEqual(rowText(one, 'load', false), {
    description: `src/a.py:2   ${reasons}`,
    detail: '',
  });
  assert.equal(
    spokenOf(one),
    'function load in src/a.py:2, strong match, named load, closest in meaning',
  );
  const matches = [{ line: 3, text: '  raise E()' }];
  assert.equal(
    rowText({ ...one, reasons: [], matches }, 'load', true).detail,
    'raise E() · strong',
  );
  const many = { ...one, reasons: ['a', 'b', 'c', 'd'] };
  assert.equal(rowText(many, 'load', true).detail, 'a · b · c · strong');
  const long = [
    'says "send a request again after a growing delay"',
    'closest in meaning',
    'b'.repeat(40),
  ];
  const fitted = rowText({ ...one, reasons: long }, 'load', true).detail;
  assert.equal(fitted, 'says "send a request again after a growi…" · closest in meaning · strong');
});

test('a long path loses the folders in its middle, and never its file', () => {
  const deep = hit(1, 'tokio/src/runtime/scheduler/multi_thread/worker.rs', []);
  assert.equal(shortPlace(deep, 60), 'tokio/src/runtime/scheduler/multi_thread/worker.rs:2');
  assert.equal(shortPlace(deep, 45), 'tokio/src/…/multi_thread/worker.rs:2');
  assert.equal(shortPlace(deep, 20), 'tokio/…/worker.rs:2');
  assert.equal(shortPlace(deep, 5), 'worker.rs:2');
  assert.equal(shortPlace(hit(1, 'a_long_name.rs', []), 5), 'a_long_name.rs:2');
  const twin = { ...hit(1, 'src/deep/retry.py', []), folder: 'depot' };
  assert.equal(shortPlace(twin, 5), 'depot/…/retry.py:2');
});

test('names that repeat have the types of their parameters', () => {
  const titles = (path: string, ...signatures: string[]) =>
    titlesOf(signatures.map((signature) => ({ ...hit(1, path, [], 'add'), signature })));
  assert.deepEqual(titles('a.py', 'def add(a: int)'), ['add']);
  assert.deepEqual(
    titles('A.java', 'void add(final int a, Map<K, V> all)', 'int add(String[] names)', 'add()'),
    ['add(final int, Map<K, V>)', 'add(String[])', 'add()'],
  );
  assert.deepEqual(
    titles('a.ts', 'add(a: number, b?: Fn = x)', 'add(f: (a: A) => B): void', 'add'),
    ['add(number, Fn)', 'add((a: A) => B)', 'add'],
  );
  assert.deepEqual(titles('a.go', 'func add(c ctx.Context)', 'func add(a, b) (int, error)'), [
    'add(ctx.Context)',
    'add(a, b)',
  ]);
});

test('files come in the order of their best hit', () => {
  const hits = [hit(1, 'b.py', []), hit(2, 'a.py', []), hit(3, 'b.py', [])];
  assert.deepEqual(
    groupByFile(hits).map((group) => [group.path, group.hits.map((one) => one.rank)]),
    [
      ['b.py', [1, 3]],
      ['a.py', [2]],
    ],
  );
});

test('impl blocks go below their type, the one in their file first', () => {
  const of = (rank: number, path: string, kind: string) => ({
    ...hit(rank, path, [], 'Handle'),
    kind,
  });
  const [away, type, impl] = [
    of(1, 'b.rs', 'struct'),
    of(2, 'a.rs', 'struct'),
    of(3, 'a.rs', 'impl'),
  ];
  const elsewhere = of(4, 'c.rs', 'impl');
  const alone = { ...of(5, 'c.rs', 'impl'), name: 'Other' };
  const impls = implsByType([away, type, impl, elsewhere, alone]);
  assert.deepEqual(impls.get(type), [impl]);
  assert.deepEqual(impls.get(away), [elsewhere]);
  assert.equal(impls.size, 2);
  assert.ok(isTest(of(1, 'a.rs', 'test')));
  assert.ok(!isTest(type));
});

test('the words of the reasons are marked where a text has them', () => {
  const reasons = ['has steal, tasks', 'named Steal', 'closest in meaning', 'file name has a'];
  const found = { ...hit(1, 'a.rs', []), reasons };
  assert.deepEqual(matchedWords(found), ['steal', 'tasks', 'Steal']);
  assert.deepEqual(matchRanges('fn steal_tasks()', marksOf(found)), [
    [3, 8],
    [9, 14],
  ]);
  assert.deepEqual(matchRanges('closest', marksOf(found)), []);
  const fact = { ...hit(1, 'a.rs', []), reasons: ['the only place with Steal, in another case'] };
  assert.deepEqual(matchedWords(fact), ['Steal']);
  assert.deepEqual(matchRanges('anything', marksOf(hit(1, 'a.rs', []))), []);
});

test('queries are remembered newest first, once each, and not without end', () => {
  assert.deepEqual(remember(['a', 'b'], ' b '), ['b', 'a']);
  assert.deepEqual(remember(['a'], '  '), ['a']);
  const many = Array.from({ length: 50 }, (_, at) => `query ${at}`);
  assert.equal(many.reduce<string[]>(remember, []).length, 30);
});

test('a poor answer offers the kinds, folders and languages of its hits', () => {
  const hits = [
    hit(1, 'src/a.py', [signal('node_name', 1)]),
    { ...hit(2, 'src/b.py', [signal('node_name', 1)]), kind: 'class' },
    hit(3, 'web/c.ts', [signal('node_name', 1)]),
  ];
  const titles = suggestions('load  it', hits).map(({ title }) => title);
  assert.deepEqual(titles, [
    ...['Only kind:function', 'Only kind:class'],
    ...['Only lang:python', 'Only lang:typescript'],
    ...['Only path:src/**', 'Only path:web/**'],
  ]);
  assert.equal(suggestions('load it', hits)[0]?.query, 'load it kind:function');
});

test('an empty answer offers the query without each of its filters', () => {
  assert.deepEqual(suggestions('lang:go cache -path:web/**', []), [
    { title: 'Without lang:go', query: 'cache -path:web/**' },
    { title: 'Without -path:web/**', query: 'lang:go cache' },
  ]);
  assert.deepEqual(suggestions('cache', []), []);
});

test('a long and sure answer is left alone', () => {
  const hits = [1, 2, 3, 4, 5, 6].map((rank) => hit(rank, `a${rank}.py`, [signal('n', 1)]));
  assert.deepEqual(suggestions('kind:class cache', hits, 'strong'), []);
  assert.ok(suggestions('kind:class cache', hits, 'weak').length > 0);
});

test('an answer of a part of the files is asked again when the index is ready', () => {
  assert.ok(isPartial({ notes: ['173 of 375 files read'] }));
  assert.ok(!isPartial({ notes: ['nothing matches well'] }));
  const listeners: ((state: object) => void)[] = [];
  let asked = 0;
  const client = {
    onDidChangeState: (listener: (state: object) => void) => listeners.push(listener),
  };
  onIndexReady(client as never, () => {
    asked += 1;
  });
  const become = (pending: number): void => {
    listeners[0]?.({ kind: 'running', index: { pending } });
  };
  const counts = [3, 0, 0, 2, 0].map((pending) => {
    become(pending);
    return asked;
  });
  assert.deepEqual(counts, [0, 1, 1, 1, 2]);
});

test('what a definition touches is in parts, and a call opens where it is made', () => {
  const { uri, range, selectionRange } = hit(9, 'a.py', []);
  const link = {
    ...hit(9, 'a.py', [], 'caller'),
    uri,
    range,
    selectionRange,
    line: 4,
    grade: 'possible' as const,
  };
  const none = {
    callees: [],
    implementations: [],
    tests: [],
    mentions: [],
    totals: { mentions: 0 },
  };
  const { hits } = symbolResults({ ...link, callers: [{ ...link, distance: 2 }], ...none });
  assert.deepEqual(
    hits.map((each) => [each.section, each.reasons, each.selectionRange.start.line]),
    [['Called by', ['2 calls away', 'possible'], 3]],
  );
});

test('changes come with at most five tests, and each caller and file once', () => {
  const { uri, range, selectionRange } = hit(9, 'a.py', []);
  const link = { ...hit(9, 'a.py', [], 'f'), uri, range, selectionRange, line: 4 };
  const { hits } = changesResults(
    {
      definitions: [1, 2].map(() => ({ ...link, lines: [[7, 8]], callers: [link] })),
      files: [{ path: 'README.md', root: '/other' }],
      renamed: [{ path: 'new.py', old_path: 'old.py' }],
      unresolved: [{ ...link, text: 'g()', uses: 'g', gone: 'b.py#g' }],
      ...{ calls: [], lacking: [] },
      imports: [{ ...link, text: 'import old', uses: 'old' }],
      tests: [1, 2, 3, 4, 5, 6].map((n) => {
        return { path: `test_${n}.py`, chance: 0.8, reasons: ['similar name', `in ${n} commits`] };
      }),
      related: [
        { path: 'test_1.py', chance: 0.6, reasons: [] },
        { path: 'b.py', chance: 0.5, reasons: [] },
      ],
    },
    (path, root = '/ws') => `file://${root}/${path}`,
  );
  assert.deepEqual(
    [hits[4], hits[6]].map((each) => each?.uri),
    ['file:///other/README.md', 'file:///ws/test_1.py'],
  );
  assert.deepEqual(
    [hits[0], hits[1], hits[5]].map((each) => each?.reasons),
    [['b.py#g is gone'], ['old'], ['was old.py']],
  );
  assert.deepEqual(
    hits.map((each) => `${each.section ?? ''} ${each.path}:${each.selectionRange.start.line + 1}`),
    [
      ...['Breaks by it a.py:4', 'Breaks by it a.py:4'],
      ...['Changed a.py:7', 'Changed a.py:7', 'Changed README.md:1', 'Changed new.py:1'],
      ...[1, 2, 3, 4, 5].map((n) => `Tests to run · similar name test_${n}.py:1`),
      ...['Callers of what changed a.py:4', 'May change too b.py:1'],
    ],
  );
});

test('a second answer changes the order around the active row', () => {
  const [a, b, c, d] = [1, 2, 3, 4].map((rank) => ({ hit: hit(rank, `${rank}.py`, []) }));
  assert.ok(a && b && c && d);
  const [note, other] = [{ label: 'a note' }, { label: 'another' }];
  assert.equal(secondOrder<object>([note, a], [{ ...note }, { ...a }], a), undefined);
  assert.equal(secondOrder<object>([a, b, note], [b, a, note], note), undefined);
  assert.deepEqual(secondOrder<object>([a, b], [note, a, b], a), [note, a, b]);
  assert.deepEqual(secondOrder<object>([note], [a, b], note), [a, b]);
  assert.deepEqual(secondOrder([note], [other], note), [other]);
  assert.deepEqual(secondOrder([a, b, c], [c, { ...b }, a], b), [c, b, a]);
  assert.deepEqual(secondOrder([a, b, c], [c, b, { ...a }], a), [a, c, b]);
  assert.deepEqual(secondOrder<object>([note, a, b], [d, c, a], a), [d, a, c]);
  assert.deepEqual(secondOrder([a, b], [c, d], b), [c, b, d]);
});

test('the preview of a closed notebook has the text and the language of the cell', () => {
  const cells = [
    { cell_type: 'markdown', source: ['# Title\n', 'text'] },
    { cell_type: 'code', source: 'x <- 1' },
    { cell_type: 'code', source: '', metadata: { vscode: { languageId: 'sql' } } },
  ];
  const json = JSON.stringify({ cells, metadata: { language_info: { name: 'r' } } });
  assert.deepEqual(notebookCell(json, 1), { text: '# Title\ntext', language: 'markdown' });
  assert.deepEqual(notebookCell(json, 2), { text: 'x <- 1', language: 'r' });
  assert.equal(notebookCell(json, 3)?.language, 'sql');
  assert.equal(notebookCell(json, 4), undefined);
});
