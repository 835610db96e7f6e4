// node notes.mjs CONFIG.json: writes a note at the cursor, changes its code, and reads what became
// of it. CONFIG as for user.mjs.
import assert from 'node:assert/strict';
import { play, SEARCH } from './hands.mjs';

const NOTE = 'The broker drops clients that retry in step: keep the jitter';
// How long a page may take to be made anew.
const ANEW_MS = 2000;

await play(({ page, rows, until, asks, labels, row, listed, activeTab, editorText, picture, command, search, ready, openAt, toasts }) => ({
  async 'a note is written on the definition at the cursor'() {
    await ready();
    await openAt('retry.py', 21);
    await page.keyboard.press('Control+K');
    await page.keyboard.press('Alt+N');
    await asks('An insight');
    await page.keyboard.insertText(NOTE);
    await page.keyboard.press('Enter');
    await toasts.filter({ hasText: 'noted on courier/retry.py#backoff_delays' }).waitFor();
    await page.locator('.glyph-margin-widgets .cgmr').first().waitFor();
    await picture('note-saved');
    await page.locator('.notification-toast .monaco-button', { hasText: 'Give It a Name' }).click();
    await page.getByText('A short name to recall it by').waitFor();
    await page.keyboard.insertText('jitter');
    await page.keyboard.press('Enter');
  },

  async 'a note that is undone is gone'() {
    await openAt('retry.py', 28);
    await page.keyboard.press('Control+K');
    await page.keyboard.press('Alt+N');
    await asks('An insight');
    await page.keyboard.insertText('decision: send it four times because of the budget');
    await page.keyboard.press('Enter');
    await toasts.filter({ hasText: 'noted on courier/retry.py#send_with_retries' }).waitFor();
    const marks = page.locator('.glyph-margin-widgets .cgmr');
    await until('two marks', async () => (await marks.count()) === 2);
    await page.locator('.notification-toast .monaco-button', { hasText: 'Undo' }).click();
    await until('one mark', async () => (await marks.count()) === 1);
  },

  async 'a search marks the code that has a note'() {
    await search('backoff delays');
    await row(/backoff_delays.*note: jitter/);
    await page.keyboard.press('Escape');
  },

  async 'the list says that the code has changed, where it is, and what the note says'() {
    await openAt('retry.py', 23);
    await page.keyboard.press('End');
    await page.keyboard.type('\ndelay = min(delay, 30.0)', { delay: 5 });
    await until('a stale note', async () => {
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+K');
      await page.keyboard.press('Alt+M');
      await row(/jitter/);
      return /retry\.py#backoff_delays \[stale\]/.test((await labels())[0]);
    });
    await picture('notes');
  },

  async 'a button shows the note with what changed'() {
    await rows.first().hover();
    await rows.first().locator('.codicon-diff').click();
    await until('the page', async () => (await editorText()).includes('keep the jitter'));
    const isActive = (name) =>
      until(name, async () => (await activeTab.getAttribute('aria-label'))?.startsWith(name));
    // The index may know a part of what was typed; the page is made anew when it is looked at again.
    await until('the difference', async () => {
      await page.keyboard.press('Control+PageUp');
      await isActive('retry.py');
      await page.keyboard.press('Control+PageDown');
      await isActive('Note');
      await page.waitForTimeout(ANEW_MS);
      return /\+ +delay = min\(delay, 30/.test(await editorText());
    });
    assert.match(await editorText(), /stale: it has changed since the note was written/);
    await picture('note-page');
  },

  async 'the hover has the note with its mark'() {
    await openAt('retry.py', 18);
    const name = page.locator('.view-line', { hasText: 'def backoff_delays' }).first();
    await name.locator('span', { hasText: 'backoff_delays' }).last().hover();
    await until('the hover', async () => /\[stale\] jitter/.test((await page.locator('.monaco-hover').allInnerTexts()).join('')));
    await picture('note-stale');
    await page.keyboard.press('Escape');
  },

  async 'Enter in the list opens the code'() {
    await command('View: Close All Editors');
    await listed(() => command('Packhound: Show Notes'), /jitter/);
    await page.keyboard.press('Enter');
    await until('the file', async () => (await activeTab.getAttribute('aria-label'))?.includes('retry.py'));
  },

  async 'the filter of the search chooses notes, and a note that is found opens'() {
    await search('clients in step');
    await page.locator('.quick-input-titlebar .codicon-filter').click();
    await asks('Code alone');
    await page.keyboard.insertText('note');
    await row(/^note/);
    await rows.first().click();
    await page.getByText('1 Selected').waitFor();
    await page.keyboard.press('Enter');
    await asks(SEARCH);
    assert.match(await page.locator('.quick-input-widget input:focus').inputValue(), /type:note$/);
    await row(/jitter, note/);
    await picture('note-search');
    await page.keyboard.press('Enter');
    await until('the note', async () => (await activeTab.getAttribute('aria-label'))?.startsWith('Note'));
    await until('its text', async () => (await editorText()).includes('keep the jitter'));
  },

  async 'a note is forgotten only after asking'() {
    await listed(() => command('Packhound: Show Notes'), /jitter/);
    await rows.first().hover();
    await rows.first().locator('.codicon-trash').click();
    const sure = page.locator('.monaco-dialog-box');
    await sure.getByText('Nothing can bring it back').waitFor();
    await sure.locator('.monaco-button', { hasText: 'Forget Note' }).click();
    await sure.waitFor({ state: 'hidden' });
    await listed(() => command('Packhound: Show Notes'), /There are no notes yet/);
    await page.keyboard.press('Escape');
  },
}));
