import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Memento } from 'vscode';
import type { IndexStatus } from '../../src/protocol';
import { namedSetting } from '../../src/status/namedSetting';
import { isNews } from '../../src/status/news';
import { statusText, type ServerState } from '../../src/status/statusText';

function running(changes: Partial<IndexStatus>): ServerState {
  const index = { state: 'ready', pending: 0, files: 40, nodes: 1234, notes: [] };
  return { kind: 'running', index: { ...index, ...changes } };
}

test('ready says how much is there', () => {
  const { label, sentence, severity } = statusText(running({}));
  assert.equal(label, '$(check) Packhound');
  assert.equal(sentence, 'Ready: 1,234 definitions in 40 files.');
  assert.equal(severity, 'none');
});

test('the encoder is named while it is not ready', () => {
  const encoding = statusText(running({ encoder: 'encoding', pending_vectors: 1200 }));
  assert.match(encoding.sentence, /1,200 are still to be read by the encoder\.$/);
  assert.match(statusText(running({ encoder: 'loading' })).sentence, /is being loaded\.$/);
  const failed = statusText(running({ encoder: 'failed', encoder_problem: 'No memory.' }));
  assert.match(failed.sentence, /the encoder failed\. No memory\.$/);
  assert.equal(failed.severity, 'warning');
  assert.equal(
    statusText(running({ encoder: 'ready' })).sentence,
    statusText(running({})).sentence,
  );
});

test('indexing counts', () => {
  const reading = '40 of 100 files read so far';
  const { label, sentence } = statusText(running({ state: 'indexing', pending: 60, reading }));
  assert.equal(label, '$(sync~spin) Packhound: 40 of 100 files');
  // The number is that of the notes on answers.
  assert.match(sentence, /40 of 100 files read so far/);
  assert.doesNotMatch(sentence, /60/);
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

test('a file that is opened does not make the status flicker', () => {
  assert.deepEqual(
    statusText(running({ state: 'indexing', pending: 1 })).label,
    statusText(running({})).label,
  );
});

test('a note that is about a setting names it', () => {
  assert.equal(
    namedSetting("setting 'search.limit' is 0; must be between 1 and 9"),
    'search.limit',
  );
  const model = "lexical search only: setting 'encoder.path': model folder /x: no model.onnx";
  assert.equal(namedSetting(model), 'encoder.path');
  assert.equal(namedSetting('the disk is full'), undefined);
});

test('another minor version is news once, the first installation and a fix are none', async () => {
  const stored = new Map<string, unknown>();
  const state = {
    keys: () => [...stored.keys()],
    get: (key: string) => stored.get(key),
    update: (key: string, value: unknown) => Promise.resolve(void stored.set(key, value)),
  } as Memento;
  const told: boolean[] = [];
  for (const version of ['0.2.0', '0.2.0', '0.2.1', '0.3.0', '0.3.0', '1.3.0']) {
    told.push(await isNews(state, version));
  }
  assert.deepEqual(told, [false, false, false, true, false, true]);
});
