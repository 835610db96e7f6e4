import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bar, negativeBar, signed } from '../../src/explain/bars';
import { contributionTable, explanation } from '../../src/explain/contributionTable';
import { counterfactuals } from '../../src/explain/counterfactual';
import { mainSignals } from '../../src/explain/mainSignals';
import { hit, signal } from './hits';

test('a bar has its width whatever the share', () => {
  for (const share of [-1, 0, 0.01, 0.5, 0.99, 1, 7]) {
    assert.equal(bar(share, 8).length, 8);
    assert.equal(negativeBar(share, 8).length, 8);
  }
  assert.equal(bar(0.5, 4), '██░░');
});

test('a negative bar always shows something', () => {
  assert.equal(negativeBar(0.001, 4), '▒░░░');
});

test('amounts are signed', () => {
  assert.equal(signed(0.5), '+0.500');
  assert.equal(signed(-0.05), '−0.050');
});

test('a penalty that costs a place is a counterfactual', () => {
  const hits = [
    hit(1, 'a.py', [signal('body', 0.9)]),
    hit(2, 'b.py', [signal('body', 1.0), signal('test_penalty', -0.3)]),
  ];
  const [first] = hits;
  const [, second] = hits;
  assert.ok(first && second);
  const [found] = counterfactuals(second, hits);
  assert.equal(found?.signal.signal, 'test_penalty');
  assert.equal(found.rank, 1);
  // Without its only signal the first would leave the list.
  assert.deepEqual(
    counterfactuals(first, hits).map((one) => one.rank),
    [undefined],
  );
});

test('a list that is not in the order of its scores tells nothing', () => {
  const hits = [hit(1, 'a.py', [signal('body', 0.1)]), hit(2, 'b.py', [signal('body', 0.9)])];
  const [first] = hits;
  assert.ok(first);
  assert.deepEqual(counterfactuals(first, hits), []);
});

test('a single hit stays first whatever it loses', () => {
  const only = hit(1, 'a.py', [signal('body', 0.9), signal('name', 0.2)]);
  assert.deepEqual(counterfactuals(only, [only]), []);
});

test('the table is aligned, largest first', () => {
  assert.deepEqual(contributionTable([signal('name', 0.25), signal('test_penalty', -0.5)]), [
    '| Signal       | Share      |  Value | Weight |   Adds |',
    '|--------------|------------|-------:|-------:|-------:|',
    '| test penalty | ▒▒▒▒▒▒▒▒▒▒ | -0.500 |  1.000 | −0.500 |',
    '| name         | █████░░░░░ |  0.250 |  1.000 | +0.250 |',
  ]);
});

test('small signals are one row, and the sum stays the score', () => {
  const many = Array.from({ length: 30 }, (_, at) => signal(`s${at}`, (at - 10) / 10));
  const { main, others, othersAdd } = mainSignals(many, 5);
  assert.equal(main.length, 5);
  // One of the thirty adds nothing, and is none of the others.
  assert.equal(others, 24);
  const sum = (signals: { contribution: number }[]): number =>
    signals.reduce((total, one) => total + one.contribution, 0);
  assert.ok(Math.abs(sum(main) + othersAdd - sum(many)) < 1e-9);
  assert.match(contributionTable(many).at(-1) ?? '', /^\| 17 others .* [+−]\d\.\d{3} \|$/);
  // Six are shown where five were wanted: "1 others" would say less.
  assert.deepEqual(mainSignals(many.slice(11, 17), 5).others, 0);
});

test('a hit without signals says so', () => {
  assert.deepEqual(contributionTable([]), ['No signal spoke for or against it.']);
});

test('an explanation names place, query and what would be different', () => {
  const hits = [
    hit(1, 'a.py', [signal('body', 0.9)], 'alpha'),
    hit(2, 'b.py', [signal('body', 1), signal('test_penalty', -0.3)], 'beta'),
  ];
  const [, second] = hits;
  assert.ok(second);
  const text = explanation(second, 'where is `beta`', hits);
  assert.match(text, /^# Why `beta` is #2$/m);
  assert.match(text, /`b\.py`, lines 3 to 4 · function · score \*\*0\.700\*\*/);
  assert.match(text, /Query: `where is 'beta'`/);
  assert.match(text, /^- Without test penalty: #1\.$/m);
  assert.match(explanation({ ...second, rank: 0 }, '', []), /is not among the results/);
});
