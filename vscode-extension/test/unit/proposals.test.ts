import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptedText, describe, titleOf } from '../../src/proposals/proposalText';
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

test('what is left to save is said', () => {
  const file = { in_editor: false, merged: false };
  assert.equal(acceptedText([file]), 'Accepted: 1 file changed.');
  assert.equal(
    acceptedText([file, { in_editor: true, merged: true }]),
    'Accepted: 2 files changed, merged with your changes; 1 of them open and not saved yet.',
  );
});
