// node notebooks.mjs CONFIG.json: finds cells of a notebook and opens them from every list, and packs on
// in one conversation. CONFIG as for user.mjs.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { play } from './hands.mjs';

const { workspace } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const cell = (cell_type, source) => {
  const code = cell_type === 'code' ? { execution_count: null, outputs: [] } : {};
  return { cell_type, metadata: {}, source, ...code };
};
const CELLS = [
  cell('markdown', '# Parcels of the year'),
  cell('code', 'import csv\n\nrows = list(csv.reader(open("parcels.csv")))'),
  cell('code', 'def smooth_harvest(weights):\n    """Average of each week and its neighbours."""\n    return [sum(weights[i : i + 3]) / 3 for i in range(len(weights) - 2)]'),
  cell('code', 'print(smooth_harvest([3, 1, 2, 6]))'),
];
const metadata = { language_info: { name: 'python' } };
writeFileSync(path.join(workspace, 'parcels.ipynb'), JSON.stringify({ cells: CELLS, metadata, nbformat: 4, nbformat_minor: 5 }));

await play(({ page, rows, until, asks, labels, row, listed, activeTab, shownTab, editorText, picture, command, search, ready, packAll }) => {
  const isInCell = async () =>
    (await activeTab.getAttribute('aria-label'))?.includes('parcels.ipynb') &&
    /smooth_harvest/.test((await page.locator('.notebookOverlay .monaco-list-row.focused').allInnerTexts()).join());
  const closeAll = () => command('View: Close All Editors');

  return {
    async 'a cell is found, named as a cell, and previewed'() {
      await ready();
      await listed(() => search('average of each week and its neighbours'), /smooth_harvest/);
      await until('the cell first', async () => /smooth_harvest/.test((await labels())[0]));
      assert.match((await labels())[0], /parcels\.ipynb/);
      await until('the preview', async () =>
        (await shownTab.getAttribute('aria-label'))?.startsWith('parcels.ipynb, preview') &&
        /^def smooth_harvest/.test(await editorText()) &&
        (await page.locator('.editor-instance .mtk6', { hasText: 'def' }).count()) === 1);
      assert.equal(await page.locator('.notebookOverlay').count(), 0);
      await picture('cell-search');
    },

    async 'Enter opens it'() {
      await page.keyboard.press('Enter');
      await until('the cell', isInCell);
      await picture('cell-open');
    },

    async 'the hover over it says why'() {
      const name = page.locator('.notebookOverlay .view-line', { hasText: 'def smooth_harvest' }).first();
      await until('the hover', async () => {
        await name.locator('span', { hasText: 'smooth_harvest' }).last().hover();
        return /#\d+ for /.test((await page.locator('.monaco-hover').allInnerTexts()).join(''));
      });
      await picture('cell-hover');
      await page.keyboard.press('Escape');
    },

    async 'a row of the side bar opens it'() {
      await closeAll();
      await command('Packhound: Focus on Results View');
      const hit = page.locator('.part.sidebar .monaco-list-row', { hasText: 'smooth_harvest' }).first();
      await hit.click();
      await until('the cell', isInCell);
      await picture('cell-results');
    },

    async 'Ctrl+T opens it'() {
      await closeAll();
      await page.keyboard.press('Control+T');
      await asks('');
      await page.keyboard.type('smooth_harvest', { delay: 25 });
      await row(/smooth_harvest/);
      await picture('cell-symbol');
      await page.keyboard.press('Enter');
      await until('the cell', isInCell);
    },

    async 'a cell that is not saved is found'() {
      await page.locator('.notebookOverlay .view-line', { hasText: 'smooth_harvest([3' }).first().click();
      await page.keyboard.press('Control+End');
      await page.keyboard.type('\ndef count_lost_parcels(): return 0', { delay: 5 });
      await listed(() => search('count lost parcels'), /count_lost_parcels/);
      await picture('cell-unsaved');
      await page.keyboard.press('Escape');
    },

    async 'a second pack of the conversation leaves out what the first has'() {
      await closeAll();
      await page.locator('.monaco-dialog-box .monaco-button', { hasText: "Don't Save" }).click({ timeout: 5000 }).catch(() => undefined);
      const pack = async (title, prompt) => {
        await command(title);
        await asks('What is to be done?');
        await page.keyboard.insertText(prompt);
        await page.keyboard.press('Enter');
        if (/More/.test(title)) {
          await row(/4,000 tokens/);
          await page.keyboard.press('Enter');
        } else {
          await packAll();
        }
        await until('the pack', async () => (await editorText()).includes(`# ${prompt}`));
        return editorText();
      };
      assert.match(await pack('Packhound: Pack Context for Prompt', 'Explain the retries'), /### parcels\.ipynb/);
      const more = await pack('Packhound: Pack More Context', 'Say more of it');
      await picture('pack-more');
      assert.doesNotMatch(more, /### parcels\.ipynb/);
    },
  };
});
