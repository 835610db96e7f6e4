import type { Hit, SignalGroup } from '../protocol';
import { titleOf, placeOf } from '../search/hitText';
import { signed } from './bars';

/** Why a hit has its rank, as a page whose groups unfold to their signals. It runs no scripts. */
export function explanationPage(hit: Hit, query: string): string {
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
${account('For', hit.reasons)}
${account('Against', hit.against ?? [])}
${paragraph(hit.beside ? `B${hit.beside.slice(1)}.` : '')}
${paragraph(hit.git ? `Its lines: ${hit.git.text}.` : '')}
${groupRows(hit)}
</body>
</html>`;
}

function groupRows(hit: Hit): string {
  const groups = [...(hit.groups ?? [])].sort(
    (one, other) => Math.abs(other.contribution) - Math.abs(one.contribution),
  );
  const most = Math.max(...groups.map((group) => Math.abs(group.contribution)));
  return [
    ...groups.map((group) => groupRow(group, most)),
    `<p class="sum">Sum ${hit.score.toFixed(2)}.</p>`,
  ].join('\n');
}

function groupRow(group: SignalGroup, most: number): string {
  const share = (Math.abs(group.contribution) / (most || 1)).toFixed(2);
  const kind = group.contribution < 0 ? 'against' : 'for';
  return `<details>
<summary><b>${group.group}</b> <meter class="${kind}" value="${share}" aria-hidden="true"></meter>
<span class="number">${signed(group.contribution)}</span> ${escape(group.text)}</summary>
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

function account(title: string, texts: readonly string[]): string {
  return paragraph(texts.length > 0 ? `${title}: ${texts.join(' · ')}` : '');
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
