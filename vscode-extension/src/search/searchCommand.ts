import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { chooseMany } from '../boxes';
import type { HitActions } from '../hitActions';
import { focus } from '../places';
import type { Hit, SearchParams, SearchResults, SettingsInForce } from '../protocol';
import { methods } from '../protocol';
import type { Results } from '../results/results';
import type { PackhoundClient } from '../server/packhoundClient';
import { suggestions } from './filterSuggestions';
import { hitItems, noteItems } from './hitItem';
import { LiveList, type Answer, type QueryItem } from './liveList';
import type { QueryMemory } from './queryMemory';
import { TYPES, typesIn, withTypes } from './typeFilter';

const TITLE = t('Packhound: Search Code');
/** Of one hole. */
const MOST_VALUES = 8;

/** A proposed patch that a search goes on as if it were applied: its hits open as it leaves them. */
export interface AsIf {
  patch: string;
  name: string;
  inPatch: (hit: Hit) => Hit;
}

/** What a search has beside its query. */
interface Beside {
  asIf?: AsIf;
  /** Code of the structure that hits have. */
  like?: string;
}

/** Search as the user types; `query` is typed for the user to begin with. */
export function searchAsTyped(
  client: PackhoundClient,
  results: Results,
  memory: QueryMemory,
  actions: HitActions,
  query: string,
  { asIf, like }: Beside = {},
): void {
  const cursor = focus(actions.previews.userEditor);
  const near = cursor ? { focus: cursor } : {};
  const ask = async (
    params: SearchParams,
    token?: vscode.CancellationToken,
  ): Promise<SearchResults> => {
    const beside = { ...(asIf && { patch: asIf.patch }), ...(like && { like }) };
    const response = await client.search({ ...params, ...beside }, token);
    return asIf ? { ...response, hits: response.hits.map(asIf.inPatch) } : response;
  };
  const answer = async (params: SearchParams, token: vscode.CancellationToken): Promise<Answer> => {
    const response = await ask(params, token);
    return {
      rows: [
        ...noteItems(notesOf(response)),
        ...hitItems(response.hits, actions.pins),
        ...facetRows(response),
        ...suggestionRows(response),
      ],
      resultSet: {
        title: [like?.trim().replace(/\s+/g, ' '), params.query.trim()].filter(Boolean).join(' + '),
        results: response,
        again: () => ask(params),
      },
    };
  };
  let hasRemotes: Promise<boolean> | undefined;
  const list = new LiveList(client, results, actions, {
    title: titleOf(asIf, like),
    placeholder: like
      ? t('Words rank the code of this structure; {0}', 'kind:class path:src/**')
      : t('A name, or what the code does; {0}', 'kind:class lang:go path:src/** "exact" /regex/'),
    asksWithoutText: like !== undefined,
    ask: (text, token, facet) =>
      answer({ query: text, ...near, ...(facet && { facets: [facet] }) }, token),
    refine: async (text, token) => {
      if (!text.trim()) {
        return undefined;
      }
      const deep = isRefined();
      return deep || (await (hasRemotes ??= namesRemotes(client)))
        ? answer({ query: text, ...near, deep, remotes: true }, token)
        : undefined;
    },
    buttons: [
      {
        iconPath: new vscode.ThemeIcon('star'),
        tooltip: t('Save this search, or forget it'),
        press: (text) => {
          const query = text.trim();
          if (!query) {
            return false;
          }
          memory.toggleSaved(query);
          const isSaved = memory.saved.includes(query);
          vscode.window.setStatusBarMessage(
            isSaved
              ? t('Packhound: the search was saved; an empty box lists it')
              : t('Packhound: the search is not saved any more'),
            4000,
          );
          return false;
        },
      },
      {
        iconPath: new vscode.ThemeIcon('filter'),
        tooltip: t('Choose what to search: code, notes, commits, …'),
        press: (text) => {
          void chooseTypes(text).then((narrowed) => {
            searchAsTyped(client, results, memory, actions, narrowed, {
              ...(asIf && { asIf }),
              ...(like && { like }),
            });
          });
          return false;
        },
      },
    ],
    rowsWithoutText: () => [
      ...queryRows('star-full', memory.saved),
      ...queryRows(
        'history',
        memory.queries.filter((query) => !memory.saved.includes(query)),
      ),
    ],
    onClose: (text, opened) => {
      if (text.trim()) {
        memory.last = text.trim();
      }
      if (opened && !like) {
        memory.add(opened.title);
      }
    },
  });
  list.show(query);
}

function titleOf(asIf: AsIf | undefined, like: string | undefined): string {
  if (asIf) {
    return t('Packhound: Search Code + as if {0} were applied', asIf.name);
  }
  return like === undefined ? TITLE : t('Packhound: Structure Like This');
}

/** The deep model gives a second answer, not the first one, and not none. */
function isRefined(): boolean {
  return vscode.workspace.getConfiguration('packhound').get('search.deep') === 'auto';
}

/** There are repositories to search beside the workspace; a file of the user may name them too. */
async function namesRemotes(client: PackhoundClient): Promise<boolean> {
  const { roots } = await client.request<SettingsInForce>(methods.config, {});
  const remotes = roots
    .flatMap(({ settings }) => settings)
    .filter(({ name }) => name === 'team.remotes');
  return remotes.some(({ value }) => Array.isArray(value) && value.length > 0);
}

/** The query for the types that the user chooses; unchanged where none is chosen. */
async function chooseTypes(query: string): Promise<string> {
  const current = new Set(typesIn(query));
  const items = TYPES.map((label) => ({ label }));
  const ticked = items.filter(({ label }) => current.has(label));
  const choice = await chooseMany(items, ticked, {
    title: t('Packhound: What to Search'),
    placeholder: t('Code alone, unless something is chosen'),
  });
  const types = choice?.map(({ label }) => label);
  return types ? withTypes(query, types) : query;
}

function queryRows(icon: string, queries: readonly string[]): QueryItem[] {
  const iconPath = new vscode.ThemeIcon(icon);
  return queries.map((query) => ({ iconPath, label: query, alwaysShow: true, query }));
}

function notesOf({ hits, notes }: SearchResults): string[] {
  return hits.length === 0 && notes.length === 0
    ? [t('Nothing found. Say it in other words, or drop a filter.')]
    : notes;
}

/** What the holes of the query's pattern are; a row narrows the answer to one of these. */
function facetRows({ query, facets = [] }: SearchResults): QueryItem[] {
  return facets.flatMap(({ name, values }) =>
    values.slice(0, MOST_VALUES).map(({ text, matches }) => ({
      iconPath: new vscode.ThemeIcon('filter'),
      label: t('Only {0}', `$${name} = ${text}`),
      description: matches === 1 ? t('1 place') : t('{0} places', matches),
      alwaysShow: true,
      query,
      facet: `${name}=${text}`,
    })),
  );
}

function suggestionRows({ query: text, hits, confidence_word }: SearchResults): QueryItem[] {
  return suggestions(text, hits, confidence_word).map(({ title, query }) => ({
    iconPath: new vscode.ThemeIcon('filter'),
    label: title,
    alwaysShow: true,
    query,
  }));
}
