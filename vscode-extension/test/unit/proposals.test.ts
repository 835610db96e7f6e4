import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  acceptedText,
  badgeOf,
  describe,
  lineText,
  titleOf,
} from '../../src/proposals/proposalText';
import type { Proposal } from '../../src/proposals/proposalProtocol';

const proposal: Proposal = {
  ...{ id: '1a2b3c4d', author: 'ann', message: '', created: '2026-01-02' },
  ...{ applies: true, problem: '' },
  files: [
    { path: 'a.py', change: 'changed', added: 1, removed: 2 },
    { path: 'b.py', change: 'new', added: 3, removed: 0 },
  ],
  verdict: { summary: 'no break is known' },
};

test('a proposal without a message is called by its id', () => {
  assert.equal(titleOf(proposal), 'proposal 1a2b3c4d');
  assert.equal(titleOf({ ...proposal, message: 'Wait' }), '"Wait"');
});

test('a row says whose it is, of which files, and what is known of it', () => {
  const { description, detail } = describe(proposal);
  assert.equal(description, 'ann · 2026-01-02 · a.py and 1 more');
  assert.equal(detail, 'no break is known');
  const broken = describe({ ...proposal, applies: false, problem: 'no such file', files: [] });
  assert.equal(broken.detail, 'Does not apply any more: no such file');
});

test('what a check found is said first, in three words', () => {
  const checked = { passed: false, summary: '', n_new: 2, n_gone: 1, new: [] };
  assert.equal(badgeOf(checked), '2 new, 1 gone');
  assert.equal(badgeOf({ ...checked, passed: true, n_new: 0, n_gone: 0 }), 'passed');
  assert.equal(badgeOf({ ...checked, n_new: 0, n_gone: 0 }), 'not proved');
  assert.match(describe(proposal, '2 new').description, /^2 new · ann/);
  const line = { runner: 'pytest', severity: 'error' as const, message: 'assert 6 == 4' };
  const failed = { ...line, path: 'test_a.py', line: 5, test: 'test_a.py::test_a' };
  assert.equal(lineText(line, true), 'assert 6 == 4');
  assert.equal(lineText(failed, true), 'test_a.py:5: test_a.py::test_a fails: assert 6 == 4');
});

test('what is left to save is said', () => {
  const file = { in_editor: false, merged: false };
  assert.equal(acceptedText([file]), 'Accepted: 1 file changed.');
  assert.equal(
    acceptedText([file, { in_editor: true, merged: true }]),
    'Accepted: 2 files changed, merged with your changes; 1 of them open and not saved yet.',
  );
});
