// node user.mjs CONFIG.json: does in a real VS Code what a user does, with the mouse and the keys,
// and takes a picture of each stage. CONFIG: {clients, workspace, settings, extension (VSIX),
// screenshots}. Stops at the first step that fails, with a picture of it.
import assert from 'node:assert/strict';
import { play } from './hands.mjs';

const QUERY = 'send a request again after a growing delay';
const REASON = /(name|file|folder|comment|signature|body|meaning): /;

await play(({ page, rows, status, cursor, activeTab, until, asks, labels, row, editorText, picture, command, search, ready }) => ({
  async 'the status bar says that the index is ready'() {
    await page.waitForSelector('.monaco-workbench .part.statusbar');
    await ready();
  },

  async 'nothing has popped up'() {
    assert.equal(await page.locator('.notification-toast').count(), 0);
  },

  async 'a prose query shows the right function first, while typing'() {
    await search(QUERY);
    await row(/send_with_retries/);
    await until('the last answer', async () => /send_with_retries/.test((await labels())[0] ?? ''));
    await picture('search');
  },

  async 'rows say why in words, without bars and scores'() {
    const texts = await rows.allInnerTexts();
    assert.ok(texts.length >= 3, String(texts));
    assert.ok(texts.some((text) => REASON.test(text)), String(texts));
    for (const text of [...texts, ...(await labels())]) {
      assert.doesNotMatch(text, /[█░]/);
    }
  },

  async 'moving shows the file and leaves the list open'() {
    await page.keyboard.press('ArrowDown');
    await until('a preview', async () => (await activeTab.getAttribute('aria-label'))?.includes('preview'));
    assert.ok(await rows.first().isVisible());
    await picture('preview');
  },

  async 'a row can be added to the context pack without closing the list'() {
    const first = rows.first();
    await first.hover();
    await first.locator('.codicon-add').click();
    await until('the count', async () =>
      (await page.locator('.quick-input-title').innerText()).includes('1 result added'),
    );
  },

  async 'the button says why'() {
    const first = rows.first();
    await first.hover();
    await first.locator('.codicon-question').click();
    await page.keyboard.press('Control+B');
    const account = page.frameLocator('iframe.webview').frameLocator('#active-frame').locator('body');
    await until('the account', async () => (await account.innerText()).includes('Sum'));
    assert.match(await account.innerText(), /send_with_retries is #1/);
    await account.locator('summary').first().click();
    await until('the signals', async () => (await account.innerText()).includes('Weight'));
    await picture('why');
    await page.keyboard.press('Control+B');
    await command('View: Close All Editors');
  },

  async 'Enter opens the first hit at its line, and the query is remembered'() {
    await command('Packhound: Search Code');
    await row(new RegExp(QUERY));
    await page.keyboard.press('Enter');
    await row(/send_with_retries/);
    await page.keyboard.press('Enter');
    await until('the file', async () => (await activeTab.getAttribute('aria-label'))?.includes('retry.py'));
    await until('the line', async () => /Ln 26\b/.test(await cursor.innerText()));
  },

  async 'the side bar keeps the results, with the reasons below'() {
    await page.locator('.activitybar a.action-label[aria-label^="Packhound"]').click();
    const tree = page.locator('.part.sidebar .monaco-list-row');
    await until('the results', async () => (await tree.count()) > 3);
    const hit = page.locator('.part.sidebar .monaco-list-row', { hasText: 'send_with_retries' }).first();
    await hit.locator('.monaco-tl-twistie').click();
    await until('the reasons', async () => (await tree.allInnerTexts()).some((text) => REASON.test(text)));
    await picture('results');
  },

  async 'hovering over a hit in the editor says why'() {
    const name = page.locator('.view-line', { hasText: 'def send_with_retries' }).first();
    await name.locator('span', { hasText: 'send_with_retries' }).last().hover();
    await until('the hover', async () => /█/.test((await page.locator('.monaco-hover').allInnerTexts()).join('')));
    await picture('hover');
    await page.keyboard.press('Escape');
  },

  async 'Ctrl+T finds a definition by its name'() {
    await page.keyboard.press('Control+T');
    await asks('');
    await page.keyboard.type('AnswerCache', { delay: 25 });
    await row(/AnswerCache/);
    await page.keyboard.press('Escape');
  },

  async 'text that is not saved is found'() {
    await command('Go to File');
    await asks('Search files by name');
    await page.keyboard.insertText('urls.py');
    await row(/urls\.py/);
    await page.keyboard.press('Enter');
    await until('the file', async () => (await activeTab.getAttribute('aria-label'))?.includes('urls.py'));
    await page.locator('.monaco-editor.focused').first().waitFor();
    await until('the end of the file', async () => {
      await page.keyboard.press('Control+End');
      return /Ln 1[0-9]/.test(await cursor.innerText());
    });
    await page.keyboard.type('\n\ndef fold_zebra_stripes(cloth): return cloth', { delay: 5 });
    await search('fold zebra stripes');
    await until('the new function first', async () => /fold_zebra_stripes/.test((await labels())[0] ?? ''));
    await picture('unsaved');
    await page.keyboard.press('Escape');
  },

  async 'a pack is shown with its budget, and copied'() {
    await command('Packhound: Pack Context for Prompt');
    await asks('What is to be done?');
    await page.keyboard.insertText('Let retries stop after a total time, in courier/retry.py');
    await page.keyboard.press('Enter');
    await row(/4,000 tokens/);
    await page.keyboard.insertText('4,000');
    await page.keyboard.press('Enter');
    await until('the pack', async () => (await editorText()).includes('Context pack'));
    const text = await editorText();
    const [, used, budget] = /([\d,]+) of ([\d,]+)\s+tokens/.exec(text) ?? [];
    assert.equal(budget, '4,000');
    assert.ok(Number(used.replace(',', '')) <= 4000, used);
    assert.match(text, /courier\/retry\.py/);
    await page.keyboard.press('Control+B');
    await picture('pack');
    await page.keyboard.press('Control+B');
    await command('Packhound: Copy Context Pack');
  },

  async 'the status list says what the index holds'() {
    await status.click();
    await row(/definitions/);
    await picture('status');
    await page.keyboard.press('Escape');
  },

  async 'the index is deleted only after asking, and built again'() {
    await command('Packhound: Clear Index');
    const sure = page.locator('.monaco-dialog-box');
    await sure.getByText('Your files stay as they are.').waitFor();
    await sure.locator('.monaco-button', { hasText: 'Delete Index' }).click();
    await page.getByText('the index was deleted').waitFor();
    await ready();
  },

  async 'a restarted server is ready again and answers'() {
    await command('Packhound: Restart Server');
    await ready();
    await search('mask a password');
    await row(/mask_password/);
    await page.keyboard.press('Escape');
  },

  async 'the walkthrough greets a first-time user'() {
    await command('View: Close All Editors');
    await page.locator('.monaco-dialog-box .monaco-button', { hasText: "Don't Save" }).click({ timeout: 3000 }).catch(() => undefined);
    await command('Welcome: Open Walkthrough');
    await asks('Select a walkthrough');
    await page.keyboard.insertText('Packhound');
    await row(/Get started with Packhound/);
    await page.keyboard.press('Enter');
    await page.locator('.gettingStartedContainer', { hasText: 'Start the server' }).waitFor();
    await picture('walkthrough');
  },
}));
