import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newNote, noteCode, notePage, noteTitle, stateIcon } from '../../src/notes/noteText';
import type { Note } from '../../src/notes/noteProtocol';
import { typesIn, withTypes } from '../../src/search/typeFilter';

const code = { ref: 'a.py#f', path: 'a.py', state: 'stale', start_line: 3, end_line: 9 };
const note: Note = {
  ...{ id: '1', type: 'insight', key: 'jitter', content: 'Keep it\nwhole', author: 'ann' },
  ...{ date: '2026-01-02', tags: ['net'], state: 'stale', root: '/ws' },
  code: [{ ...code, diff: '-a\n+b\n' }],
};

test('a note is called by its name, else by how it begins', () => {
  assert.equal(noteTitle(note), 'jitter');
  assert.equal(noteTitle({ ...note, key: null }), 'Keep it');
  assert.equal(noteTitle({ ...note, type: 'decision', key: null, topic: 'cache' }), 'cache');
});

test('the code of a note carries its mark', () => {
  assert.equal(noteCode(note), 'a.py#f [stale]');
  assert.equal(noteCode({ ...note, code: [{ ...code, state: '' }] }), 'a.py#f');
  assert.notEqual(stateIcon('orphaned'), stateIcon(''));
});

test('the page of a note says what became of its code', () => {
  const page = notePage(note);
  assert.match(page, /^insight by ann, 2026-01-02 · net$/m);
  assert.match(page, /^Is stale: it has changed since the note was written, a\.py:3-9\.$/m);
  assert.match(page, /```diff\n-a\n\+b\n```/);
  const gone = { ...code, state: 'orphaned', start_line: 0, end_line: 0 };
  assert.match(notePage({ ...note, code: [gone] }), /^Is orphaned: nothing like it is left\.$/m);
  assert.match(
    notePage({ ...note, content: '', decision: 'yes', reasoning: 'it is simpler' }),
    /^Because: it is simpler$/m,
  );
});

test('the types of a query are read and replaced', () => {
  assert.deepEqual(typesIn('cache type:note,Code x'), ['note', 'code']);
  assert.deepEqual(typesIn('mytype:note'), []);
  assert.equal(withTypes('cache type:note x', ['code', 'note']), 'cache x type:code,note');
  assert.equal(withTypes('cache type:note', []), 'cache');
  assert.equal(withTypes('', ['note']), 'type:note');
});

test('a note says its type before a colon, and has a name without one being asked for', () => {
  assert.deepEqual(newNote('keep: it'), { type: 'insight', content: 'keep: it' });
  assert.deepEqual(newNote('Stash: next is b'), {
    ...{ type: 'stash', name: 'next is b', summary: 'next is b' },
  });
  assert.deepEqual(newNote('decision: four tries, because of the budget'), {
    ...{ type: 'decision', topic: 'four tries, because of the budget' },
    ...{ decision: 'four tries', reasoning: 'the budget' },
  });
  assert.equal(newNote('decision: '), undefined);
  assert.equal(newNote(`stash: ${'x'.repeat(99)}`)?.name?.length, 60);
});
