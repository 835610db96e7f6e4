import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bar, signed } from '../../src/explain/bars';
import { explanationPage } from '../../src/explain/explanationPage';
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

test('a page names place, query and what speaks for and against the hit, and its groups unfold', () => {
  const one = hit(2, 'src/a.py', [signal('node_words', 3)], 'load');
  const page = explanationPage(one, 'where is <load>');
  assert.match(page, /<h1>load is #2<\/h1>/);
  assert.match(page, /function · src\/a\.py:3/);
  assert.match(page, /For <q>where is &lt;load&gt;<\/q>/);
  assert.match(page, /<p>For: name: load · meaning: closest<\/p>/);
  assert.match(page, /<p>Against: lacks other · test code: otherwise 1st<\/p>/);
  assert.match(page, /<p>Beside f1: behind by words \(1 fewer\)\.<\/p>/);
  assert.equal(page.match(/<details>/g)?.length, 2);
  assert.match(page, /Signal of Words<\/td><td>2\.000/);
  // The promise: everything adds up to the score.
  assert.match(page, /Sum 3\.00\./);
  assert.doesNotMatch(page, /<script/);
  assert.match(explanationPage({ ...one, rank: 0 }, ''), /is not among the results/);
});

test('the group that tells most comes first', () => {
  const one = { ...hit(1, 'a.py', []), groups: [group('Name', 1.5), group('Words', 7)] };
  const page = explanationPage(one, 'q');
  assert.ok(page.indexOf('<b>Words</b>') < page.indexOf('<b>Name</b>'));
});
