import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { rangeOf } from '../places';
import type { Hit } from '../protocol';
import type { PackhoundClient } from '../server/packhoundClient';
import type { AgentApi } from './api';

const DEFAULT_HITS = 8;
const DEFAULT_BUDGET = 8000;
// A longer definition is read in full with the editor's own tools.
const MOST_LINES = 80;

interface SearchInput {
  query: string;
  limit?: number;
  includeSource?: boolean;
}

interface PackInput {
  prompt: string;
  budget?: number;
}

/** Offers search and pack to language models, where this VS Code knows such tools. */
export function registerTools(
  client: PackhoundClient,
  api: AgentApi = vscode as AgentApi,
): vscode.Disposable[] {
  const { lm, LanguageModelToolResult: Result, LanguageModelTextPart: Text } = api;
  if (!lm?.registerTool || !Result || !Text) {
    return [];
  }
  const answer = (value: object): object => new Result([new Text(JSON.stringify(value))]);
  return [
    lm.registerTool<SearchInput>('packhound_search', {
      prepareInvocation: ({ input }) => ({
        invocationMessage: t('Searching the code for "{0}"', input.query),
      }),
      invoke: async ({ input }, token) => answer(await search(client, input, token)),
    }),
    lm.registerTool<PackInput>('packhound_pack', {
      prepareInvocation: () => ({ invocationMessage: t('Gathering the code for the task') }),
      invoke: async ({ input }, token) => {
        const { prompt, budget = DEFAULT_BUDGET } = input;
        return answer(await client.pack({ prompt, budget }, token));
      },
    }),
  ];
}

async function search(
  client: PackhoundClient,
  { query, limit = DEFAULT_HITS, includeSource = true }: SearchInput,
  token: vscode.CancellationToken,
): Promise<object> {
  const results = await client.search({ query, limit }, token);
  return {
    query: results.query,
    hits: await Promise.all(results.hits.map((hit) => forModel(hit, includeSource))),
    notes: results.notes,
  };
}

async function forModel(hit: Hit, includeSource: boolean): Promise<object> {
  const { rank, score, path, start_line, end_line, kind, name, qualname } = hit;
  return {
    ...{ rank, score: Number(score.toFixed(4)), path, start_line, end_line, kind, name, qualname },
    reasons: hit.reasons,
    ...(includeSource ? { source: await sourceOf(hit) } : {}),
  };
}

/** The hit's text as the user sees it: of the open editor, else of the file. */
async function sourceOf(hit: Hit): Promise<string> {
  const uri = vscode.Uri.parse(hit.uri);
  const open = vscode.workspace.textDocuments.find(
    (document) => document.uri.toString() === uri.toString(),
  );
  const text = open
    ? open.getText(rangeOf(hit.range).with(new vscode.Position(hit.range.start.line, 0)))
    : await linesOf(uri, hit);
  const lines = text.split(/\r\n|\r|\n/);
  return lines.length > MOST_LINES
    ? [...lines.slice(0, MOST_LINES), `... ${lines.length - MOST_LINES} more lines`].join('\n')
    : lines.join('\n');
}

async function linesOf(uri: vscode.Uri, hit: Hit): Promise<string> {
  const bytes = await vscode.workspace.fs.readFile(uri);
  const lines = new TextDecoder().decode(bytes).split(/\r\n|\r|\n/);
  return lines.slice(hit.start_line - 1, hit.end_line).join('\n');
}
