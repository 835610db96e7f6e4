import { t } from '@vscode/l10n';
import { numeral } from '../numeral';
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
      return busy(t('starting'), t('The server is starting.'));
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
        sentence: t('The server is not running. Restart it with "Packhound: Restart Server".'),
        severity: 'warning',
      };
    case 'running':
      return state.index ? ofIndex(state.index) : busy(t('starting'), t('The server is starting.'));
  }
}

/** So few files are read again before anyone could read how many. */
const FEW_FILES = 32;

function ofIndex(index: IndexStatus): StatusText {
  const count = t('{0} definitions in {1} files', numeral(index.nodes), numeral(index.files));
  switch (index.state) {
    case 'ready':
      return {
        label: index.encoder === 'failed' ? '$(warning) Packhound' : '$(check) Packhound',
        sentence: [t('Ready: {0}.', count), encoderText(index)].join(' ').trimEnd(),
        severity: index.encoder === 'failed' ? 'warning' : 'none',
      };
    case 'degraded':
      return {
        label: '$(warning) Packhound',
        sentence:
          `${t('Ready with limits: {0}.', count)} ${(index.notes ?? []).join(' ')}`.trimEnd(),
        severity: 'warning',
      };
    case 'off':
      return {
        label: `$(circle-slash) ${t('Packhound: off')}`,
        sentence: t(
          'Off in this workspace. Turn it on with "Packhound: Turn On in This Workspace".',
        ),
        severity: 'none',
      };
    case 'starting':
      return busy(t('starting'), t('The index is being opened.'));
    case 'indexing': {
      if (index.pending < FEW_FILES && index.pending * 10 < index.files) {
        return { label: '$(check) Packhound', sentence: t('Ready: {0}.', count), severity: 'none' };
      }
      const { reading = t('reading files') } = index;
      return busy(
        reading.replace(/ read so far.*/, ''),
        t('Indexing: {0}. Searches answer from those.', reading),
      );
    }
    default:
      return {
        label: '$(circle-slash) Packhound',
        sentence: t('The index is {0}. Restart it with "Packhound: Restart Server".', index.state),
        severity: 'warning',
      };
  }
}

/** What the encoder does, where it is not ready. */
function encoderText(index: IndexStatus): string {
  switch (index.encoder) {
    case 'loading':
      return t('Their meaning: the encoder is being loaded.');
    case 'encoding':
      return t(
        'Their meaning: {0} are still to be read by the encoder.',
        numeral(index.pending_vectors ?? 0),
      );
    case 'failed':
      return `${t('Their meaning: the encoder failed.')} ${index.encoder_problem ?? ''}`;
    default:
      return '';
  }
}

function busy(what: string, sentence: string): StatusText {
  return { label: `$(sync~spin) Packhound: ${what}`, sentence, severity: 'none' };
}
