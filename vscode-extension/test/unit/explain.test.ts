import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bar, signed } from '../../src/explain/bars';
import { comparison, explanationPage } from '../../src/explain/explanationPage';
import { group, hit, signal } from './hits';

test('a bar has its width whatever the share', () => {
  for (const share of [-1, 0, 0.01, 0.5, 0.99, 1, 7]) {
    assert.equal(bar(share, 8).length, 8);
  }
  assert.equal(bar(0.5, 4), '██░░');
});

test('amounts are signed', () => {
  assert.equal(signed(0.5), '+0.50');
  assert.equal(signed(-0.05), '−0.05');
});

test('a page names place, query and what would move the hit, and its groups unfold', () => {
  const one = hit(2, 'src/a.py', [signal('node_words', 3)], 'load');
  const page = explanationPage(one, 'where is <load>', [one]);
  assert.match(page, /<h1>load is #2<\/h1>/);
  assert.match(page, /function · src\/a\.py:3/);
  assert.match(page, /For <q>where is &lt;load&gt;<\/q>/);
  assert.match(page, /Without Words it would be 4th\./);
  assert.equal(page.match(/<details>/g)?.length, 2);
  assert.match(page, /Signal of Words<\/td><td>2\.000/);
  // The promise: everything adds up to the score.
  assert.match(page, /Sum 3\.00, of which good candidates have 2\.00 on average/);
  assert.doesNotMatch(page, /<script/);
  assert.match(explanationPage({ ...one, rank: 0 }, '', []), /is not among the results/);
});

test('the group that tells most comes first', () => {
  const one = { ...hit(1, 'a.py', []), groups: [group('Name', 1.5), group('Words', 7)] };
  const page = explanationPage(one, 'q', []);
  assert.ok(page.indexOf('<b>Words</b>') < page.indexOf('<b>Name</b>'));
});

test('a hit is compared with its neighbour, group by group', () => {
  const first = { ...hit(1, 'a.py', []), groups: [group('Words', 5), group('Name', 1)] };
  const second = { ...hit(2, 'b.py', [], 'beta'), groups: [group('Words', 2), group('Name', 1.4)] };
  assert.equal(
    comparison(first, [first, second]),
    'Ahead of beta in Words +3.00. beta is ahead in Name +0.40.',
  );
  assert.equal(comparison(first, [first]), '');
});
