// node changes.mjs CONFIG.json: asks who calls what, changes it, looks what that touches, reviews it,
// and drags results into the next pack. CONFIG as for user.mjs.
import assert from 'node:assert/strict';
import { play, SEARCH } from './hands.mjs';

await play(({ page, rows, until, asks, labels, listed, row, cursor, activeTab, editorText, picture, command, search, ready, openAt, packAll }) => ({
  async 'callers, calls and tests of the definition at the cursor are listed'() {
    await ready();
    await openAt('retry.py', 18);
    await page.keyboard.press('Control+K');
    await page.keyboard.press('Alt+S');
    await row(/send_with_retries/);
    const list = (await labels()).join('\n');
    assert.match(list, /send_with_retries.*Called by/);
    assert.match(list, /test_\w+, tests\/test_retry\.py:\d+.*\n?/);
    await picture('calls');
  },

  async 'a caller opens where the call is'() {
    await rows.filter({ hasText: 'send_with_retries' }).first().click();
    await until('the call', async () => /Ln 28\b/.test(await cursor.innerText()));
  },

  async 'one key asks what is at the cursor: what it is about, its tests, a pack for it'() {
    const value = () => page.locator('.quick-input-widget input:focus').inputValue();
    const ask = async (key, placeholder) => {
      await openAt('retry.py', 18);
      await page.locator('.editor-instance .view-line', { hasText: 'def backoff_delays' }).first().click({ position: { x: 60, y: 8 } });
      await page.keyboard.press('Control+K');
      await page.keyboard.press(key);
      await asks(placeholder);
    };
    await ask('Alt+Q', SEARCH);
    assert.equal(await value(), 'backoff_delays');
    await row(/^backoff_delays, /);
    await picture('about');
    await page.keyboard.press('Escape');
    await ask('Alt+E', 'Tests of the definition');
    await row(/test_delays_grow, tests\/test_retry\.py:\d+/);
    await picture('tests');
    await page.keyboard.press('Escape');
    await ask('Alt+B', 'What is to be done?');
    assert.equal(await value(), 'backoff_delays');
    await page.keyboard.press('Escape');
    await page.locator('.editor-instance .view-line', { hasText: 'def backoff_delays' }).first().click({ button: 'right' });
    const menu = page.locator('.monaco-menu');
    for (const action of ['What Is This About', 'Code Like This', 'Find Structure Like This', 'Tests of This', 'Pack This for a Prompt']) {
      await menu.getByText(action, { exact: true }).first().waitFor();
    }
    await picture('editor-menu');
    await page.keyboard.press('Escape');
    await menu.first().waitFor({ state: 'hidden' });
  },

  async "VS Code's own call hierarchy has the same"() {
    await openAt('retry.py', 18);
    await page.keyboard.press('ArrowRight');
    await command('Calls: Show Call Hierarchy');
    const tree = page.locator('.part.sidebar .monaco-list-row');
    await until('the callers', async () => /send_with_retries/.test((await tree.allInnerTexts()).join()));
    await picture('hierarchy');
  },

  async 'changes are listed with the tests to run'() {
    await openAt('retry.py', 22);
    await page.keyboard.press('End');
    await page.keyboard.type('\ndelay += 0.1', { delay: 5 });
    await listed(async () => {
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+K');
      await page.keyboard.press('Alt+D');
    }, /backoff_delays.*Changed/);
    await row(/test_retry\.py.*Tests to run/);
    await picture('changes');
    await page.keyboard.press('Escape');
  },

  async 'a review packs exactly the changes, the code before the folded reasons'() {
    await command('Packhound: Review My Changes');
    await packAll();
    await until('the pack', async () => (await editorText()).includes('Review my uncommitted changes'));
    await picture('review');
    await until('the folded reasons', async () => {
      await page.keyboard.press('Control+End');
      const text = await editorText();
      return /## Why these: \d+/.test(text) && text.includes('## Left out') && !/· \d+ tokens/.test(text);
    });
    await picture('review-end');
  },

  async 'a result is dragged into the next pack, and the next prompt has it'() {
    await command('View: Close All Editors');
    await search('mask a password');
    await row(/mask_password/);
    await page.locator('.quick-input-titlebar .codicon-list-tree').click();
    await page.keyboard.press('Escape');
    const hit = page.locator('.part.sidebar .monaco-list-row', { hasText: 'mask_password' }).first();
    const pins = page.locator('.pane', { hasText: 'Next Context Pack' });
    await hit.dragTo(pins.locator('.pane-body'));
    const pinned = pins.locator('.monaco-list-row');
    await until('the result', async () => /mask_password/.test(await pinned.first().innerText()));
    await until('its check mark', async () => (await hit.locator('.codicon-check').count()) > 0);
    await picture('dragged');
    await pins.locator('.codicon-package').click();
    await asks('What is to be done?');
    await page.keyboard.insertText('Write the changelog');
    await page.keyboard.press('Enter');
    await packAll();
    await until('the pack with it', async () => /def mask_password/.test(await editorText()));
  },
}));
