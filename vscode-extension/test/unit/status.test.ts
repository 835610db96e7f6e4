import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IndexStatus } from '../../src/protocol';
import { statusText, type ServerState } from '../../src/status/statusText';

function running(changes: Partial<IndexStatus>): ServerState {
  const index = { state: 'ready', generation: 3, pending: 0, files: 40, nodes: 1234, notes: [] };
  return { kind: 'running', index: { ...index, ...changes } };
}

test('ready says how much is there', () => {
  const { label, sentence, severity } = statusText(running({}));
  assert.equal(label, '$(check) Packhound');
  assert.equal(sentence, 'Ready: 1,234 definitions in 40 files.');
  assert.equal(severity, 'none');
});

test('indexing counts', () => {
  const { label } = statusText(running({ state: 'indexing', files: 40, pending: 60 }));
  assert.equal(label, '$(sync~spin) Packhound: 40/100');
});

test('degraded gives the reason', () => {
  const { sentence, severity } = statusText(
    running({ state: 'degraded', notes: ['The disk is full.', 'The index stays in memory.'] }),
  );
  assert.match(sentence, /The disk is full\. The index stays in memory\.$/);
  assert.equal(severity, 'warning');
});

test('every state of the server has a text', () => {
  const states: ServerState[] = [
    { kind: 'starting' },
    { kind: 'stopped' },
    { kind: 'missing', problem: { reason: 'It is not there.', remedies: [] } },
    { kind: 'failed', problem: { reason: 'It did not start.', remedies: [] } },
    { kind: 'running' },
    running({ state: 'starting' }),
    running({ state: 'closed' }),
  ];
  for (const state of states) {
    const { label, sentence } = statusText(state);
    assert.match(label, /Packhound/);
    assert.match(sentence, /\.$/);
  }
});
