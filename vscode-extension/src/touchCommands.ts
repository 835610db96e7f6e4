import { t } from '@vscode/l10n';
import { withCallersOfLanguage } from './callers';
import type { HitActions } from './hitActions';
import { focus, uriOfPath } from './places';
import type { Changes, PlaceParams, SymbolAnswer } from './protocol';
import { methods } from './protocol';
import type { Results } from './results/results';
import { hitItems, sectionItems } from './search/hitItem';
import { changesResults, symbolResults } from './search/links';
import { showList } from './search/listCommand';
import type { PackhoundClient } from './server/packhoundClient';

type Place = Pick<PlaceParams, 'uri' | 'position'>;

type TouchCommand = (
  client: PackhoundClient,
  results: Results,
  actions: HitActions,
  given?: Place,
) => Promise<void>;

/** Lists code like the definition at the cursor. */
export const findRelated: TouchCommand = async (client, results, actions) => {
  const place = placeOrRemedy(actions);
  await showList(results, actions, {
    title: t('Packhound: Related Code'),
    placeholder: t('Code like the definition at the cursor'),
    name: t('like {0}', nameOf(place)),
    nothing: t('Nothing like it was found.'),
    ask: (token) => client.related(place, token),
    rows: ({ hits }) => hitItems(hits, actions.pins),
  });
};

/**
 * Lists what calls the definition at the cursor, or at the place that a code lens names, what it
 * calls, and the tests that reach it.
 */
export const showCalls: TouchCommand = async (client, results, actions, given) => {
  // A menu gives the address of its file instead.
  const place = given && 'position' in given ? given : placeOrRemedy(actions);
  await showList(results, actions, {
    title: t('Packhound: Callers, Calls and Tests'),
    placeholder: t('What the definition at the cursor touches'),
    name: t('calls of {0}', nameOf(place)),
    nothing: t('Nothing calls it, and it calls nothing of this workspace.'),
    ask: async (token) => {
      const symbol = await client.request<SymbolAnswer>(methods.symbol, place, token);
      return symbolResults(await withCallersOfLanguage(symbol));
    },
    rows: ({ hits }) => sectionItems(hits, actions.pins),
  });
};

/** Lists the tests that reach the definition at the cursor; where none does, those about its name. */
export const showTests: TouchCommand = async (client, results, actions) => {
  const place = placeOrRemedy(actions);
  await showList(results, actions, {
    title: t('Packhound: Tests of This'),
    placeholder: t('Tests of the definition at the cursor'),
    name: t('tests of {0}', nameOf(place)),
    nothing: t('No test reaches it or has its name.'),
    ask: async (token) => {
      const symbol = await client.request<SymbolAnswer>(methods.symbol, place, token);
      return symbol.tests.length > 0
        ? symbolResults({ ...symbol, callers: [], mentions: [], callees: [], implementations: [] })
        : client.search({ query: `${symbol.qualname || symbol.name} tests:only` }, token);
    },
    rows: ({ hits }) =>
      hits[0]?.section ? sectionItems(hits, actions.pins) : hitItems(hits, actions.pins),
  });
};

/** Lists what is not committed, which tests to run, who calls it, and what changes with it. */
export const showChanges: TouchCommand = async (client, results, actions) => {
  const uri = focus(actions.previews.userEditor)?.uri;
  await showList(results, actions, {
    title: t('Packhound: My Changes'),
    placeholder: t('What is not committed, unsaved text included, and what it touches'),
    name: t('my changes'),
    nothing: t('Nothing differs from the last commit.'),
    ask: async (token) => {
      const params = uri ? { uri } : {};
      return changesResults(
        await client.request<Changes>(methods.changes, params, token),
        uriOfPath,
      );
    },
    rows: ({ hits }) => sectionItems(hits, actions.pins),
  });
};

function placeOrRemedy({ previews }: HitActions): Place {
  const place = focus(previews.userEditor);
  if (!place) {
    throw new Error(t('Put the cursor into a file of the workspace first; then ask again.'));
  }
  return place;
}

/** `retry.py:26`. */
function nameOf({ uri, position }: Place): string {
  return `${uri.split('/').at(-1) ?? uri}:${position.line + 1}`;
}
