import { t } from '@vscode/l10n';
import type { Checked, CheckedLine, Proposal, ProposedFile } from './proposalProtocol';

export function titleOf({ id, message }: Proposal): string {
  return message ? `"${message}"` : t('proposal {0}', id);
}

/** A row of the list: what for, what a check found, whose, which files, and what is known of it. */
export function describe(
  proposal: Proposal,
  badge = '',
): {
  label: string;
  description: string;
  detail: string;
  icon: string;
} {
  const { id, author, message, created, applies, problem, files, verdict } = proposal;
  const paths = files.map(({ path }) => path);
  const [first = ''] = paths;
  const more = paths.length > 1 ? ` ${t('and {0} more', paths.length - 1)}` : '';
  return {
    label: message || t('Proposal {0}', id),
    description: [badge, author, created, first + more].filter(Boolean).join(' · '),
    detail: applies ? (verdict?.summary ?? '') : t('Does not apply any more: {0}', problem),
    icon: applies ? 'git-pull-request' : 'warning',
  };
}

/** What a check found, as short as it can be. */
export function badgeOf({ passed, n_new, n_gone }: Checked): string {
  const counts = [n_new > 0 ? t('{0} new', n_new) : '', n_gone > 0 ? t('{0} gone', n_gone) : ''];
  return [passed ? t('passed') : '', ...counts].filter(Boolean).join(', ') || t('not proved');
}

/** A diagnostic of a check, with its place where it is shown at another one. */
export function lineText({ path, line, test, message }: CheckedLine, withPlace: boolean): string {
  const place = withPlace && path ? `${path}:${String(line ?? 1)}: ` : '';
  return `${place}${test ? `${t('{0} fails', test)}: ` : ''}${message}`;
}

/** The sides of a file that are there. */
export function sidesOf({ change }: ProposedFile): { before: boolean; after: boolean } {
  return { before: change !== 'new', after: change !== 'deleted' };
}

/** What was written, and what is left to save. */
export function acceptedText(files: readonly { in_editor: boolean; merged: boolean }[]): string {
  const open = files.filter(({ in_editor }) => in_editor).length;
  const merged = files.some((file) => file.merged) ? t(', merged with your changes') : '';
  const unsaved = open > 0 ? t('; {0} of them open and not saved yet', open) : '';
  const changed =
    files.length === 1
      ? t('Accepted: 1 file changed')
      : t('Accepted: {0} files changed', files.length);
  return `${changed}${merged}${unsaved}.`;
}
