import type { Hit, SignalGroup } from '../protocol';
import { titleOf, placeOf } from '../search/hitText';
import { signed } from './bars';

/** What moves less is not worth a word. */
const LEAST = 0.05;

/** Why a hit has its rank, as a page whose groups unfold to their signals. It runs no scripts. */
export function explanationPage(hit: Hit, query: string, hits: readonly Hit[]): string {
  const rank = hit.rank > 0 ? `is #${hit.rank}` : 'is not among the results';
  const confidence = hit.confidence_word ? ` · ${hit.confidence_word}` : '';
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Why it ranked here</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escape(titleOf(hit))} ${rank}</h1>
<p>${escape(`${hit.kind} · ${placeOf(hit)}${confidence}`)}</p>
<p>${query ? `For <q>${escape(query)}</q>` : 'Scored on its own, without a query'}</p>
${paragraph(sentence(hit.counterfactual))}
${paragraph(hit.git ? `Its lines: ${hit.git.text}.` : '')}
${paragraph(comparison(hit, hits))}
${groupRows(hit)}
</body>
</html>`;
}

/** What sets a hit apart from the one below it, or from the one above the last. */
export function comparison(hit: Hit, hits: readonly Hit[]): string {
  const at = hits.findIndex((other) => other.rank === hit.rank && other.uri === hit.uri);
  const rival = at < 0 ? undefined : (hits[at + 1] ?? hits[at - 1]);
  if (!rival) {
    return '';
  }
  const leads = hit.groups
    .map(({ group, contribution }) => ({ group, by: contribution - sumOf(rival, group) }))
    .filter(({ by }) => Math.abs(by) >= LEAST)
    .sort((one, other) => Math.abs(other.by) - Math.abs(one.by));
  const ahead = leads.filter(({ by }) => by > 0).map(({ group, by }) => `${group} ${signed(by)}`);
  const behind = leads.filter(({ by }) => by < 0).map(({ group, by }) => `${group} ${signed(-by)}`);
  const name = titleOf(rival);
  return [
    ahead.length > 0 ? `Ahead of ${name} in ${ahead.join(', ')}.` : '',
    behind.length > 0 ? `${name} is ahead in ${behind.join(', ')}.` : '',
  ]
    .filter(Boolean)
    .join(' ');
}

function sumOf(hit: Hit, group: string): number {
  return hit.groups.find((each) => each.group === group)?.contribution ?? 0;
}

function groupRows(hit: Hit): string {
  const groups = [...hit.groups].sort(
    (one, other) => Math.abs(other.above_average) - Math.abs(one.above_average),
  );
  const most = Math.max(LEAST, ...groups.map((group) => Math.abs(group.above_average)));
  const common = hit.score - groups.reduce((sum, group) => sum + group.above_average, 0);
  return [
    ...groups.map((group) => groupRow(group, most)),
    `<p class="sum">Sum ${hit.score.toFixed(2)}, of which good candidates have ${common.toFixed(2)} on average.</p>`,
  ].join('\n');
}

function groupRow(group: SignalGroup, most: number): string {
  const share = (Math.abs(group.above_average) / most).toFixed(2);
  const kind = group.above_average < 0 ? 'against' : 'for';
  return `<details>
<summary><b>${group.group}</b> <meter class="${kind}" value="${share}" aria-hidden="true"></meter>
<span class="number">${signed(group.above_average)}</span> ${escape(group.text)}</summary>
${signalTable(group)}
</details>`;
}

function signalTable(group: SignalGroup): string {
  const rows = (group.signals ?? []).map(
    ({ text, value, weight, contribution }) =>
      `<tr><td>${escape(text)}</td><td>${value.toFixed(3)}</td><td>${weight.toFixed(3)}</td>` +
      `<td>${signed(contribution)}</td></tr>`,
  );
  if (rows.length === 0) {
    return '<p>No signal of this group speaks for or against it.</p>';
  }
  const total = `<tr><th>Sum</th><td></td><td></td><td>${signed(group.contribution)}</td></tr>`;
  return `<table>
<thead><tr><th>Signal</th><th>Value</th><th>Weight</th><th>Adds</th></tr></thead>
<tbody>${rows.join('\n')}${total}</tbody>
</table>`;
}

function paragraph(text: string): string {
  return text ? `<p>${escape(text)}</p>` : '';
}

/** `without Words it would be 4th` as a sentence. */
function sentence(text: string): string {
  return text ? `${text.charAt(0).toUpperCase()}${text.slice(1)}.` : '';
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

const STYLE = `
body { color: var(--vscode-foreground); font: var(--vscode-font-size) var(--vscode-font-family);
  max-width: 60em; padding: 0 1em; overflow-wrap: anywhere; }
h1 { font-size: 1.3em; }
summary { cursor: pointer; padding: 0.2em 0; }
b { display: inline-block; min-width: 5.5em; }
meter { width: 6em; }
meter.against { filter: grayscale(1); }
.number { display: inline-block; min-width: 3.5em; text-align: right;
  font-family: var(--vscode-editor-font-family); }
table { border-collapse: collapse; margin: 0.3em 0 1em 1.5em; }
th, td { padding: 0.1em 0.8em 0.1em 0; text-align: left; }
th + th, td + td { text-align: right; white-space: nowrap; }
.sum { opacity: 0.8; }
`;
