import assert from 'node:assert/strict';
import { test } from 'node:test';
import { briefProblem } from '../../src/search/briefProblem';
import { grepParams, linesDocument, markOf } from '../../src/search/grepText';
import { matchRanges } from '../../src/search/matches';

test('what is typed is a text or a pattern, whole words or parts, in this case or any', () => {
  const all = { case: true, word: true, regex: true };
  const sent = (text: string, off: Partial<typeof all>) => grepParams(text, { ...all, ...off });
  assert.deepEqual(sent('a+', {}), { pattern: '\\b(?:a+)\\b', regex: true, case: 'sensitive' });
  assert.deepEqual(sent('a+', { word: false }), { pattern: 'a+', regex: true, case: 'sensitive' });
  assert.equal(sent('f(', { regex: false }).pattern, '\\b(?:f\\()\\b');
  assert.deepEqual(sent('f(', { regex: false, word: false, case: false }), {
    ...{ pattern: 'f(', regex: false, case: 'ignore' },
  });
});

test('what a line was found by is marked in it', () => {
  const marks = (text: string, off: object) =>
    matchRanges('raise TypeError', markOf(text, { case: true, word: false, regex: true, ...off }));
  assert.deepEqual(marks('\\w+Error', {}), [[6, 15]]);
  assert.deepEqual(marks('type', { regex: false, case: false }), [[6, 10]]);
  assert.deepEqual(marks('Type', { word: true }), []);
  assert.deepEqual(marks('x*', {}), []);
  assert.deepEqual(marks('(', {}), []);
  assert.deepEqual(marks('(Type|Value)Err?', {}), [[6, 13]]);
  assert.deepEqual(marks('[A-Z]\\w{3}', { word: true }), []);
});

test('what JavaScript may take long for, or reads otherwise than RE2, is not marked', () => {
  const marked = (text: string) => markOf(text, { case: true, word: false, regex: true });
  const slow = ['(a+)+$', '(a|a)*b', '(ab){9}', 'a*a*b', 'a?a?a?b', '(a|a)(a|a)(a|a)b', 'a+b{9}'];
  for (const text of [...slow, 'a\\z', '[[:alpha:]]', '\\pL', '(?i)a', '[]a]', '\\x{41}']) {
    assert.equal(marked(text), undefined, text);
  }
  for (const text of ['\\bretry\\w*\\(', 'https?://\\S+', '[^\\]]+\\.', '(?:a|b) c{2}']) {
    assert.ok(marked(text), text);
  }
  const long = `${'x'.repeat(300)} retry()`;
  assert.deepEqual(matchRanges(long, marked('retry\\w*')), []);
  assert.deepEqual(matchRanges(long, marked('retry\\(')), [[301, 307]]);
});

test('lines in an editor come by file, once each, with those around them', () => {
  const group = (first: number, match: number) => ({
    ...{ path: 'a.py', kind: 'function', name: 'f', qualname: 'f' },
    lines: [0, 1, 2].map((n) => {
      return { line: first + n, text: `line ${first + n}`, match: first + n === match };
    }),
  });
  const groups = [group(3, 4), group(5, 5)];
  const counts = { pattern: 'x', total_lines: 2, total_files: 1, next_offset: -1, notes: [] };
  assert.equal(
    linesDocument('x', { ...counts, groups }),
    [
      ...['# Query: x', '', '2 results - 1 files', '', 'a.py:'],
      ...['  3  line 3', '  4: line 4', '  5: line 5', '  6  line 6', '  7  line 7', ''],
    ].join('\n'),
  );
});

test('an error while typing is what is wrong, without the rule', () => {
  const text = "'pattern' is 'raise ('; missing ): 'raise ('; must be a regular expression of RE2";
  assert.equal(briefProblem(text), "missing ): 'raise ('");
  assert.equal(briefProblem('it stopped'), 'it stopped');
});
