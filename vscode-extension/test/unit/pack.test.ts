import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pins } from '../../src/pack/pins';
import { filesOf, packDocument, readBudget } from '../../src/pack/packDocument';
import { rowsByFolder, tickedRows } from '../../src/pack/packFolders';
import { hit } from './hits';

test('budgets are read as people write them', () => {
  const read = [
    '8000',
    '8k',
    '8,000',
    '8.000',
    '1.000.000',
    '1.00.000',
    ' 1.5K ',
    '0',
    '-3',
    'many',
    '',
  ].map(readBudget);
  assert.deepEqual(read, [
    8000,
    8000,
    8000,
    8000,
    1_000_000,
    undefined,
    1500,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('a pack says what it costs, what is in it, what is not, and why', () => {
  const text = packDocument(
    {
      tokens: 4000,
      budget: 8000,
      items: [
        {
          ...{ path: 'a.py', start_line: 3, end_line: 9, detail: 'full', tokens: 1200, score: 0.9 },
          reason: 'name and body match',
        },
      ],
      omitted: [{ path: 'b.py', name: 'helper', reason: 'over the budget' }],
      text: 'def a(): ...',
      notes: ['tokens: estimated', '3 of 9 files read so far'],
    },
    'mend a\nand b',
  );
  assert.match(text, /^# mend a\n> and b\n\n4,000 of 8,000 tokens\n/);
  assert.match(text, /^- `a\.py:3-9` · full · 1,200 tokens\n {2}name and body match$/m);
  assert.match(text, /^- `b\.py helper`: over the budget$/m);
  assert.match(text, /tokens\n\n- 3 of 9 files read so far\n\ndef a/);
  assert.match(text, /\ntokens: estimated\n$/);
  assert.ok(text.indexOf('def a(): ...') < text.indexOf('## Why these: 1'));
});

test('an empty pack says so', () => {
  const nothing = { tokens: 0, budget: 0, items: [], omitted: [], text: '', notes: [] };
  assert.match(packDocument(nothing, 'x'), /Nothing fits the prompt and the budget\./);
});

test('a result is pinned once however often it is added', () => {
  const pins = new Pins();
  pins.add(hit(1, 'a.py', []));
  pins.add(hit(2, 'a.py', []));
  pins.add(hit(2, 'a.py', []));
  assert.equal(pins.count, 2);
  assert.deepEqual(pins.runs, ['a.py:2-3', 'a.py:3-4']);
  assert.ok(pins.has(hit(1, 'a.py', [])));
  pins.remove(hit(1, 'a.py', []));
  assert.deepEqual(pins.runs, ['a.py:3-4']);
  pins.clear();
  assert.equal(pins.count, 0);
});

test('the files of a pack come in its order, each with all its tokens', () => {
  const item = (path: string, tokens: number) => ({
    ...{ path, tokens, start_line: 1, end_line: 2, detail: 'full', score: 1, reason: `r${tokens}` },
  });
  const pack = { tokens: 9, budget: 9, omitted: [], text: '', notes: [] };
  assert.deepEqual(filesOf({ ...pack, items: [item('b', 3), item('a', 2), item('b', 1)] }), [
    { path: 'b', tokens: 4, reason: 'r3' },
    { path: 'a', tokens: 2, reason: 'r2' },
  ]);
});

test('files of a pack are ticked with their folder, and a folder with its files', () => {
  const file = (path: string, tokens: number) => ({ path, tokens, reason: 'named' });
  const rows = rowsByFolder([file('src/a.py', 5), file('README.md', 1), file('src/b.py', 2)]);
  const [src, a, b, top, readme] = rows as [object, object, object, object, object] & typeof rows;
  assert.deepEqual(
    rows.map(({ label, tokens }) => [label, tokens]),
    [
      ['src/', 7],
      ['a.py', 5],
      ['b.py', 2],
      ['/', 1],
      ['README.md', 1],
    ],
  );
  const toggle = (before: object[], row: object): object[] => {
    const selected = before.includes(row)
      ? rows.filter((each) => each !== row && before.includes(each))
      : rows.filter((each) => each === row || before.includes(each));
    return tickedRows(
      rows,
      rows.filter((each) => before.includes(each)),
      selected,
    );
  };
  assert.deepEqual(toggle(rows, src), [top, readme]);
  assert.deepEqual(toggle(rows, a), [b, top, readme]);
  assert.deepEqual(toggle([b, top, readme], a), rows);
  assert.deepEqual(toggle([b, top, readme], src), rows);
});
