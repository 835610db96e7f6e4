import type { IndexStatus } from '../protocol';
import type { Problem } from '../server/serverProblem';

export type ServerState =
  | { kind: 'starting' }
  | { kind: 'missing'; problem: Problem }
  | { kind: 'failed'; problem: Problem }
  | { kind: 'stopped' }
  | { kind: 'running'; index?: IndexStatus };

export interface StatusText {
  /** What the status bar shows, with a codicon. */
  label: string;
  /** One sentence for the tooltip and the status list. */
  sentence: string;
  severity: 'none' | 'warning' | 'error';
}

/** What a user is told of the server and its index. */
export function statusText(state: ServerState): StatusText {
  switch (state.kind) {
    case 'starting':
      return busy('starting', 'The server is starting.');
    case 'missing':
      return {
        label: '$(circle-slash) Packhound',
        sentence: state.problem.reason,
        severity: 'warning',
      };
    case 'failed':
      return { label: '$(error) Packhound', sentence: state.problem.reason, severity: 'error' };
    case 'stopped':
      return {
        label: '$(circle-slash) Packhound',
        sentence: 'The server is not running. Restart it with "Packhound: Restart Server".',
        severity: 'warning',
      };
    case 'running':
      return state.index ? ofIndex(state.index) : busy('starting', 'The server is starting.');
  }
}

/** So few files are read again before anyone could read how many. */
const FEW_FILES = 32;

function ofIndex(index: IndexStatus): StatusText {
  const count = `${numeral(index.nodes)} definitions in ${numeral(index.files)} files`;
  switch (index.state) {
    case 'ready':
      return {
        label: index.encoder === 'failed' ? '$(warning) Packhound' : '$(check) Packhound',
        sentence: [`Ready: ${count}.`, encoderText(index)].join(' ').trimEnd(),
        severity: index.encoder === 'failed' ? 'warning' : 'none',
      };
    case 'degraded':
      return {
        label: '$(warning) Packhound',
        sentence: `Ready with limits: ${count}. ${(index.notes ?? []).join(' ')}`.trimEnd(),
        severity: 'warning',
      };
    case 'off':
      return {
        label: '$(circle-slash) Packhound: off',
        sentence: 'Off in this workspace. Turn it on with "Packhound: Turn On in This Workspace".',
        severity: 'none',
      };
    case 'starting':
      return busy('starting', 'The index is being opened.');
    case 'indexing': {
      if (index.pending < FEW_FILES && index.pending * 10 < index.files) {
        return { label: '$(check) Packhound', sentence: `Ready: ${count}.`, severity: 'none' };
      }
      const { reading = 'reading files' } = index;
      return busy(
        reading.replace(/ read so far.*/, ''),
        `Indexing: ${reading}. Searches answer from those.`,
      );
    }
    default:
      return {
        label: '$(circle-slash) Packhound',
        sentence: `The index is ${index.state}. Restart it with "Packhound: Restart Server".`,
        severity: 'warning',
      };
  }
}

/** What the encoder does, where it is not ready. */
function encoderText(index: IndexStatus): string {
  switch (index.encoder) {
    case 'loading':
      return 'Their meaning: the encoder is being loaded.';
    case 'encoding':
      return `Their meaning: ${numeral(index.pending_vectors ?? 0)} are still to be read by the encoder.`;
    case 'failed':
      return `Their meaning: the encoder failed. ${index.encoder_problem ?? ''}`;
    default:
      return '';
  }
}

function busy(what: string, sentence: string): StatusText {
  return { label: `$(sync~spin) Packhound: ${what}`, sentence, severity: 'none' };
}

function numeral(count: number): string {
  return count.toLocaleString('en-US');
}
