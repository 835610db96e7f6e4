import { t } from '@vscode/l10n';

/** A count as the language of the texts writes it: `12,000`. */
export function numeral(count: number): string {
  return count.toLocaleString(t('en-US'));
}
