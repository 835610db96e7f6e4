import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { rangeOf } from '../places';
import type { Hit } from '../protocol';
import type { Results } from '../results/results';

const EXPLAIN = `[${t('All reasons')}](command:packhound.explain)`;

/** Adds the way to all reasons to the server's account of a hit. */
export function withLink(
  results: Results,
): (hover: vscode.Hover, document: vscode.TextDocument, position: vscode.Position) => vscode.Hover {
  return (hover, document, position) => {
    const hits = results.latest?.hits ?? [];
    const hit = smallestAround(hits, document.uri, position);
    if (!hit) {
      return hover;
    }
    const more = new vscode.MarkdownString(EXPLAIN);
    more.isTrusted = { enabledCommands: ['packhound.explain'] };
    return new vscode.Hover([...hover.contents, more], hover.range);
  };
}

function smallestAround(
  hits: readonly Hit[],
  uri: vscode.Uri,
  position: vscode.Position,
): Hit | undefined {
  return hits
    .filter((hit) => vscode.Uri.parse(hit.uri).toString() === uri.toString())
    .filter((hit) => rangeOf(hit.range).contains(position))
    .sort((one, other) => lines(one) - lines(other))[0];
}

function lines(hit: Hit): number {
  return hit.end_line - hit.start_line;
}
