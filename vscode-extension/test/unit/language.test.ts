// The texts of the extension, and their translation.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';

type Texts = Record<string, string>;

const read = (name: string): string => readFileSync(name, 'utf8');
const texts = (name: string): Texts => JSON.parse(read(name)) as Texts;
const placeholders = (text: string): string[] =>
  (text.match(/\{\d\}|`[^`]+`|\(command:[^)]*\)/g) ?? []).sort();

const GERMAN = texts('l10n/bundle.l10n.de.json');
const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => path.join('src', name))
  .map((name) => ts.createSourceFile(name, read(name), ts.ScriptTarget.Latest, true));

function nodesOf(file: ts.SourceFile): ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    found.push(node);
    node.forEachChild(visit);
  };
  visit(file);
  return found;
}

const nodes = sources.flatMap(nodesOf);
const where = (node: ts.Node): string => {
  const file = node.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(node.getStart());
  return `${file.fileName}:${String(line + 1)}: ${node.getText()}`;
};
/** What a user reads: words, not icons, names of settings or places for values alone. */
const isProse = (text: string): boolean =>
  /\p{L}{3,}/u.test(text.replace(/\$\([\w~-]+\)|Packhound:?|Python/g, ''));

test('each text that is looked up has a translation, and there is no other', () => {
  const used = nodes
    .filter(ts.isCallExpression)
    .filter((call) => call.expression.getText() === 't');
  const messages = used.map(({ arguments: [first] }) => {
    assert.ok(first && ts.isStringLiteral(first), first && where(first));
    return first.text;
  });
  assert.ok(messages.length > 100);
  assert.deepEqual(Object.keys(GERMAN).sort(), [...new Set(messages)].sort());
});

test('the manifest has each text in both languages, and nothing else is in them', () => {
  const named = [...read('package.json').matchAll(/"%([^%"]+)%"/g)].map(([, key = '']) => key);
  assert.ok(named.length > 100);
  const [english, german] = [texts('package.nls.json'), texts('package.nls.de.json')];
  assert.deepEqual(Object.keys(english).sort(), [...new Set(named)].sort());
  assert.deepEqual(Object.keys(german), Object.keys(english));
});

test('each page of the walkthrough has a translation, which keeps its code', () => {
  const folder = 'media/walkthrough';
  const pages = readdirSync(folder).filter((name) => !name.includes('.nls.'));
  assert.equal(readdirSync(folder).length, 2 * pages.length);
  for (const page of pages) {
    const english = read(path.join(folder, page));
    const german = read(path.join(folder, page.replace('.md', '.nls.de.md')));
    assert.deepEqual(placeholders(german), placeholders(english), page);
    assert.equal(german.split('\n').length, english.split('\n').length, page);
  }
});

test('a translation keeps what stands for values, settings and commands', () => {
  const pairs = [
    ...Object.entries(GERMAN),
    ...Object.entries(texts('package.nls.json')).map(
      ([key, text]) => [text, texts('package.nls.de.json')[key] ?? ''] as const,
    ),
  ];
  for (const [text, translated] of pairs) {
    assert.deepEqual(placeholders(translated), placeholders(text), translated);
    assert.equal(/^[,;]/.test(translated), /^[,;]/.test(text), translated);
  }
});

/** The texts below a value of the manifest; what language models read is English. */
function shownIn(value: unknown, key = ''): string[] {
  if (typeof value === 'string') {
    return /^(title|name|contents|contextualTitle|displayName|\w*[dD]escription)$/.test(key)
      ? [value]
      : [];
  }
  const isForModels = key === 'inputSchema' || typeof value !== 'object' || value === null;
  return isForModels ? [] : Object.entries(value).flatMap(([name, each]) => shownIn(each, name));
}

test('what the manifest shows is looked up', () => {
  const { contributes } = JSON.parse(read('package.json')) as { contributes: object };
  const shown = shownIn(contributes).filter((text) => isProse(text) && !/^packhound_/.test(text));
  const raw = shown.filter((text) => !/^%.+%$/.test(text));
  assert.ok(shown.length > 100);
  // Only those that language models read, one for each tool.
  assert.equal(raw.length, 2, raw.join('\n'));
});

test('what is shown is looked up', () => {
  const SHOWN =
    /^(title|placeholder|placeHolder|prompt|tooltip|label|detail|description|sentence|reason|nothing|openLabel|message)$/;
  const TOLD = /^(show(Information|Warning|Error)Message|setStatusBarMessage|Error)$/;
  const literals = nodes.flatMap((node) => {
    if (ts.isPropertyAssignment(node) && SHOWN.test(node.name.getText())) {
      return [node.initializer];
    }
    const isCall = ts.isCallExpression(node) || ts.isNewExpression(node);
    const called = isCall ? (node.expression.getText().split('.').at(-1) ?? '') : '';
    return isCall && TOLD.test(called) ? [...(node.arguments ?? [])] : [];
  });
  assert.ok(literals.length > 50);
  const raw = literals.filter((each) =>
    ts.isTemplateExpression(each)
      ? [each.head, ...each.templateSpans.map(({ literal }) => literal)].some(({ text }) =>
          isProse(text),
        )
      : ts.isStringLiteralLike(each) && isProse(each.text),
  );
  assert.deepEqual(raw.map(where), []);
});
