import { t } from '@vscode/l10n';
import type { Hit, SignalGroup } from '../protocol';
import { titleOf, placeOf } from '../search/hitText';

/** Why a hit has its rank, as a page whose groups unfold to their signals. It runs no scripts. */
export function explanationPage(hit: Hit, query: string): string {
  const title = titleOf(hit);
  const heading =
    hit.rank > 0 ? t('{0} is #{1}', title, hit.rank) : t('{0} is not among the results', title);
  const confidence = hit.confidence_word ? ` · ${hit.confidence_word}` : '';
  return `<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escape(t('Why it ranked here'))}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escape(heading)}</h1>
<p>${escape(`${hit.kind} · ${placeOf(hit)}${confidence}`)}</p>
<p>${query ? `${escape(t('For'))} <q>${escape(query)}</q>` : escape(t('Scored on its own, without a query'))}</p>
${account(t('What speaks for it'), [...hit.reasons, ...(hit.rank === 1 ? compared(hit) : [])])}
${account(t('What speaks against it'), hit.against ?? [])}
${account(t('What would make it first'), hit.rank === 1 ? [] : [...withoutLosses(hit), ...compared(hit)])}
${hit.git ? `<p>${escape(t('Its lines: {0}.', hit.git.text))}</p>` : ''}
${details(hit)}
</body>
</html>`;
}

/** The losses that cost it the first place. */
function withoutLosses({ against = [] }: Hit): string[] {
  const costly = against.flatMap((loss) => /^(.*): otherwise 1st$/.exec(loss)?.[1] ?? []);
  return costly.map((loss) => t('Without this it would be first: {0}.', loss));
}

/** `beside f1: behind by words (1 fewer)` as a sentence. */
function compared({ beside = '' }: Hit): string[] {
  const [, other = '', how = ''] = /^beside (.*?): (.*)$/.exec(beside) ?? [];
  return how ? [t('It is {0}, compared with {1}.', how, other)] : [];
}

/** The numbers: what each group of signals adds to the score, and each signal in it. */
function details(hit: Hit): string {
  const groups = [...(hit.groups ?? [])].sort(
    (one, other) => Math.abs(other.contribution) - Math.abs(one.contribution),
  );
  return `<details>
<summary>${escape(t('Details'))}</summary>
${groups.map(groupRow).join('\n')}
<p class="sum">${escape(t('Sum {0}.', hit.score.toFixed(2)))}</p>
</details>`;
}

function groupRow(group: SignalGroup): string {
  return `<details>
<summary><b>${group.group}</b> <span class="number">${signed(group.contribution)}</span> ${escape(group.text)}</summary>
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
    return `<p>${escape(t('No signal of this group speaks for or against it.'))}</p>`;
  }
  const total = `<tr><th>${escape(t('Sum'))}</th><td></td><td></td><td>${signed(group.contribution)}</td></tr>`;
  const head = [t('Signal'), t('Value'), t('Weight'), t('Adds')]
    .map((text) => `<th>${escape(text)}</th>`)
    .join('');
  return `<table>
<thead><tr>${head}</tr></thead>
<tbody>${rows.join('\n')}${total}</tbody>
</table>`;
}

function account(title: string, texts: readonly string[]): string {
  const items = texts.map((text) => `<li>${escape(text)}</li>`).join('\n');
  return items && `<h2>${escape(title)}</h2>\n<ul>\n${items}\n</ul>`;
}

/** `0.8123` as `+0.81`, `-0.05` as `−0.05`. */
function signed(amount: number): string {
  return `${amount < 0 ? '−' : '+'}${Math.abs(amount).toFixed(2)}`;
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
h2 { font-size: 1em; margin-bottom: 0.3em; }
ul { margin: 0; padding-left: 1.5em; }
summary { cursor: pointer; padding: 0.2em 0; }
b { display: inline-block; min-width: 5.5em; }
details details { margin-left: 1em; }
.number { display: inline-block; min-width: 3.5em; text-align: right;
  font-family: var(--vscode-editor-font-family); }
table { border-collapse: collapse; margin: 0.3em 0 1em 1.5em; }
th, td { padding: 0.1em 0.8em 0.1em 0; text-align: left; }
th + th, td + td { text-align: right; white-space: nowrap; }
.sum { opacity: 0.8; }
`;
