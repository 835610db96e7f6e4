import * as vscode from 'vscode';
import { rangeOf } from '../places';
import type { Hit } from '../protocol';
import type { Results } from '../results/results';
import { inWords } from './contributionTable';
import { counterfactuals } from './counterfactual';

const MOST = 2;
const EXPLAIN = '[Explain Ranking](command:packhound.explain)';

/** Adds to the server's account of a hit where it would stand without one of its signals. */
export function withCounterfactuals(
  results: Results,
): (hover: vscode.Hover, document: vscode.TextDocument, position: vscode.Position) => vscode.Hover {
  return (hover, document, position) => {
    const hits = results.latest?.hits ?? [];
    const hit = smallestAround(hits, document.uri, position);
    if (!hit) {
      return hover;
    }
    // First, because the server's account may be longer than the hover shows at once.
    const more = new vscode.MarkdownString(
      [...counterfactuals(hit, hits).slice(0, MOST).map(inWords(hits)), EXPLAIN].join(' · '),
    );
    more.isTrusted = { enabledCommands: ['packhound.explain'] };
    return new vscode.Hover([more, ...hover.contents], hover.range);
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
