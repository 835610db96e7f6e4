import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explanationPage } from '../../src/explain/explanationPage';
import { group, hit, signal } from './hits';

test('a page names place, query and what speaks for and against the hit, and its numbers unfold', () => {
  const one = hit(2, 'src/a.py', [signal('node_words', 3)], 'load');
  const page = explanationPage(one, 'where is <load>');
  assert.match(page, /<h1>load is #2<\/h1>/);
  assert.match(page, /function · src\/a\.py:3/);
  assert.match(page, /For <q>where is &lt;load&gt;<\/q>/);
  assert.deepEqual(
    [...page.matchAll(/<h2>(.*?)<\/h2>|<li>(.*?)<\/li>/g)].map(([, title, text]) => title ?? text),
    [
      ...['What speaks for it', 'named load', 'closest in meaning'],
      ...['What speaks against it', 'lacks other', 'test code: otherwise 1st'],
      ...['What would make it first', 'Without this it would be first: test code.'],
      'It is behind by words (1 fewer), compared with f1.',
    ],
  );
  // Numbers only in what is folded.
  assert.doesNotMatch(page.slice(page.indexOf('<h1>'), page.indexOf('<details>')), /\d\.\d/);
  assert.equal(page.match(/<details>/g)?.length, 3);
  assert.match(page, /Signal of Words<\/td><td>2\.000/);
  // The promise: everything adds up to the score.
  assert.match(page, /Sum 3\.00\./);
  assert.doesNotMatch(page, /<script/);
  assert.match(explanationPage({ ...one, rank: 0 }, ''), /is not among the results/);
  assert.doesNotMatch(explanationPage({ ...one, rank: 1 }, ''), /would make it first/);
});

test('the group that tells most comes first', () => {
  const one = { ...hit(1, 'a.py', []), groups: [group('Name', 1.5), group('Words', 7)] };
  const page = explanationPage(one, 'q');
  assert.ok(page.indexOf('<b>Words</b>') < page.indexOf('<b>Name</b>'));
});
