import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KINDS } from './kinds';
import { groupByFile } from '../../src/results/grouping';
import { iconOf, placeOf, scoreLine, titleOf } from '../../src/search/hitText';
import { remember } from '../../src/search/queryHistory';
import { hit, signal } from './hits';

test('every kind of node has an icon of its own choice', () => {
  for (const kind of KINDS) {
    assert.notEqual(iconOf(kind), 'symbol-misc', kind);
  }
  assert.equal(iconOf('a kind of tomorrow'), 'symbol-misc');
});

test('a row names what it opens', () => {
  const one = hit(1, 'src/a.py', [signal('body', 0.5), signal('path', -0.2)], 'load');
  assert.equal(titleOf(one), 'load');
  assert.equal(titleOf({ ...one, qualname: '', name: '' }), 'a.py');
  assert.equal(placeOf(one), 'src/a.py:2');
  assert.equal(scoreLine(one, 0.6), '████░░░░ 0.30  body, less path');
  assert.equal(scoreLine({ ...one, score: 0, why: [] }, 0), '░░░░░░░░ 0.00');
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

test('queries are remembered newest first, once each, and not without end', () => {
  assert.deepEqual(remember(['a', 'b'], ' b '), ['b', 'a']);
  assert.deepEqual(remember(['a'], '  '), ['a']);
  const many = Array.from({ length: 50 }, (_, at) => `query ${at}`);
  assert.equal(many.reduce<string[]>(remember, []).length, 30);
});
