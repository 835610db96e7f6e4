// node user.mjs CONFIG.json: does in a real VS Code what a user does, with the mouse and the keys,
// and takes a picture of each stage. CONFIG: {clients, workspace, settings, extension (VSIX),
// screenshots}. Stops at the first step that fails, with a picture of it.
import assert from 'node:assert/strict';
import { play, SEARCH } from './hands.mjs';

const QUERY = 'send a request again after a growing delay';
const REASON = /named |says "| has |in meaning/;
// A second answer is asked for when typing rests for half a second.
const SECOND_ANSWER_MS = 4000;

await play(({ page, changeSettings, openAt, rows, status, cursor, activeTab, shownTab, until, asks, labels, row, editorText, picture, command, search, ready }) => ({
  async 'the status bar says that the index is ready'() {
    await page.waitForSelector('.monaco-workbench .part.statusbar');
    await ready();
  },

  async 'nothing has popped up'() {
    assert.equal(await page.locator('.notification-toast').count(), 0);
  },

  async 'when typing rests the deep model orders the rows below the active one anew'() {
    await search('limit how many requests a client may send');
    // On a busy machine the model may run out of its time, which is for one question.
    await until('the second answer', async () => {
      await page.keyboard.type(' ');
      await page.waitForTimeout(SECOND_ANSWER_MS);
      return /^Bucket\.Allow/.test((await labels())[2] ?? '');
    });
    assert.match((await labels())[0], /^Bucket/);
    await page.keyboard.press('Escape');
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
    const list = await page.locator('.quick-input-list').boundingBox();
    const boxes = await Promise.all((await rows.all()).map((row) => row.boundingBox()));
    const whole = boxes.filter((box) => box && box.y + box.height <= list.y + list.height + 1);
    assert.ok(whole.length >= 10, `${whole.length} rows are seen as a whole`);
  },

  async 'the first row is previewed, below the list, and the list stays open'() {
    await until('a preview', async () => (await shownTab.getAttribute('aria-label'))?.includes('retry.py, preview'));
    const name = page.locator('.editor-instance .view-line', { hasText: 'def send_with_retries' });
    const list = page.locator('.quick-input-widget');
    await until('the name below the list', async () => {
      const [line, covered] = [await name.boundingBox(), await list.boundingBox()];
      return line && covered && line.y >= covered.y + covered.height;
    });
    assert.ok(await rows.first().isVisible());
    // A screen reader reads it, words have colours, and lines of the hit and words of the query marks.
    await page.locator('.editor-instance [role="textbox"][aria-label^="retry.py"]').waitFor({ state: 'attached' });
    await name.locator('.mtk6', { hasText: 'def' }).first().waitFor();
    await until('marks', async () => (await page.locator('.editor-instance .view-overlays .cdr').count()) > 5);
    await picture('preview');
  },

  async 'moving previews the next row'() {
    const before = await shownTab.getAttribute('aria-label');
    // The next row may be of the same file.
    await until('another file', async () => {
      await page.keyboard.press('ArrowDown');
      return until('another file', async () => (await shownTab.getAttribute('aria-label')) !== before, 2000);
    });
    assert.ok(await page.locator('.quick-input-widget').isVisible());
  },

  async 'rows read as sentences, without names of icons'() {
    for (const label of (await labels()).filter((label) => /:\d+/.test(label))) {
      assert.match(label, /^[\w.]+.*, [\w./…]+:\d+(,| {3}).*(exact|strong|likely|possible|weak)/);
      assert.doesNotMatch(label, /symbol|\$\(/);
    }
  },

  async 'a row can be added to the context pack without closing the list'() {
    const first = rows.first();
    await first.hover();
    await first.locator('.codicon-add').click();
    await until('the count', async () =>
      (await page.locator('.quick-input-title').innerText()).includes('1 result added'),
    );
    await first.locator('.codicon-check').waitFor();
    await picture('pinned');
  },

  async 'the button says why'() {
    const first = rows.first();
    await first.hover();
    await first.locator('.codicon-question').click();
    await page.keyboard.press('Control+B');
    const account = page.frameLocator('iframe.webview').frameLocator('#active-frame').locator('body');
    await until('the account', async () => (await account.innerText()).includes('What speaks for it'));
    const text = await account.innerText();
    assert.match(text, /send_with_retries is #1/);
    assert.doesNotMatch(text, /\d\.\d|node|candidate|generation|fuser/);
    await picture('why');
    const groups = account.locator('summary');
    await groups.first().click();
    await groups.nth(1).click();
    await until('the signals', async () => (await account.innerText()).includes('Weight'));
    await picture('why-details');
    await page.keyboard.press('Control+B');
    await command('View: Close All Editors');
  },

  async 'Enter opens the first hit at its line, and the query is remembered'() {
    await command('Packhound: Search Code');
    await asks(SEARCH);
    await row(/send_with_retries/);
    assert.equal(await page.locator('.quick-input-widget input:focus').inputValue(), QUERY);
    await page.keyboard.press('Delete');
    await row(new RegExp(`${QUERY}$`));
    await page.keyboard.press('Enter');
    await row(/send_with_retries/);
    await page.keyboard.press('Enter');
    await until('the file', async () => (await activeTab.getAttribute('aria-label'))?.includes('retry.py'));
    await until('the line', async () => /Ln 26\b/.test(await cursor.innerText()));
  },

  async 'a search is saved, and the last one resumed at its row'() {
    await search(QUERY);
    await row(/^send_with_retries/);
    await page.locator('.quick-input-titlebar .codicon-star').click();
    await page.keyboard.press('Escape');
    await command('Packhound: Show Saved Searches');
    await row(new RegExp(`^${QUERY}$`));
    await rows.filter({ hasText: QUERY }).locator('.codicon-star-full').waitFor();
    await picture('saved');
    await page.keyboard.press('Enter');
    await row(/^send_with_retries/);
    await until('the second row', async () => {
      await page.keyboard.press('ArrowDown');
      return /^backoff_delays/.test(await page.locator('.quick-input-list .monaco-list-row.focused').getAttribute('aria-label'));
    });
    await page.keyboard.press('Escape');
    await until('the list', async () => {
      await page.keyboard.press('Control+K');
      await page.keyboard.press('Alt+J');
      await asks(SEARCH, 5000);
      await row(/^send_with_retries/);
      return true;
    });
    await until('its row', async () =>
      /^backoff_delays/.test(await page.locator('.quick-input-list .monaco-list-row.focused').getAttribute('aria-label')));
    await page.keyboard.press('Escape');
  },

  async 'the side bar keeps the results, with the reasons below'() {
    // The count of what was added lies over the icon.
    await page.locator('.activitybar a.action-label[aria-label^="Packhound"]').click({ force: true });
    const tree = page.locator('.part.sidebar .monaco-list-row');
    await until('the results', async () => (await tree.count()) > 3);
    const hit = page.locator('.part.sidebar .monaco-list-row', { hasText: 'send_with_retries' }).first();
    await hit.locator('.monaco-tl-twistie').click();
    await until('the reasons', async () => (await tree.allInnerTexts()).some((text) => REASON.test(text)));
    await picture('results');
  },

  async 'a right click offers every action, and a key does it'() {
    const hit = page.locator('.part.sidebar .monaco-list-row', { hasText: 'send_with_retries' }).first();
    await hit.click({ button: 'right' });
    const menu = page.locator('.monaco-menu');
    for (const action of ['Open Result', 'Open to the Side', 'Why It Ranked Here', 'Remove from Context Pack', 'Copy Path and Line']) {
      await menu.getByText(action).first().waitFor();
    }
    await picture('menu');
    await page.keyboard.press('Escape');
    await menu.first().waitFor({ state: 'hidden' });
    await hit.click();
    await page.keyboard.press('Control+K');
    await page.keyboard.press('Alt+Z');
    await until('no check mark', async () => (await hit.locator('.codicon-check').count()) === 0);
    await page.keyboard.press('Control+K');
    await page.keyboard.press('Alt+A');
    await until('a check mark', async () => (await hit.locator('.codicon-check').count()) > 0);
    // Several at once.
    const other = page.locator('.part.sidebar .monaco-list-row', { hasText: 'backoff_delays' }).first();
    const pins = page.locator('.pane', { hasText: 'Next Context Pack' }).locator('.monaco-list-row');
    await hit.click();
    await other.click({ modifiers: ['Control'] });
    await page.keyboard.press('Control+K');
    await page.keyboard.press('Alt+A');
    await until('both', async () => (await pins.count()) === 2);
    await until('its check mark', async () => (await other.locator('.codicon-check').count()) > 0);
    await page.keyboard.press('Control+K');
    await page.keyboard.press('Alt+Z');
    await until('none', async () => (await pins.count()) === 0);
    await until('no check mark', async () => (await hit.locator('.codicon-check').count()) === 0);
    await hit.click();
    await page.keyboard.press('Control+K');
    await page.keyboard.press('Alt+A');
    await until('one', async () => (await pins.count()) === 1);
  },

  async 'what was added to the pack is listed and removed'() {
    await page.keyboard.press('Control+K');
    await page.keyboard.press('Alt+L');
    const pinned = page.locator('.pane', { hasText: 'Next Context Pack' }).locator('.monaco-list-row');
    await until('what was added', async () => /send_with_retries/.test(await pinned.first().innerText()));
    await picture('pins');
    await pinned.first().hover();
    await pinned.first().locator('.codicon-trash').click();
    await page.getByText('Nothing was added yet').waitFor();
  },

  async 'related code leaves the kept results alone, and the history has both'() {
    const tree = page.locator('.part.sidebar .monaco-list-row');
    const kept = await tree.allInnerTexts();
    await page.locator('.editor-instance .view-line', { hasText: 'def send_with_retries' }).first().click();
    await page.keyboard.press('Control+K');
    await page.keyboard.press('Alt+R');
    await asks('Code like the definition at the cursor');
    await row(/backoff_delays|Client/);
    await page.keyboard.press('Escape');
    assert.deepEqual(await tree.allInnerTexts(), kept);
    await command('Packhound: Show Earlier Results');
    await row(/like retry\.py:\d+/);
    await picture('history');
    await page.keyboard.insertText(QUERY);
    await row(new RegExp(QUERY));
    await page.keyboard.press('Enter');
    await page.locator('.part.sidebar .monaco-list:focus-within').waitFor();
    await command('Packhound: Refresh Results');
    await until('the same results', async () => (await tree.count()) >= 3);
  },

  async 'hovering over a hit in the editor says why'() {
    const name = page.locator('.view-line', { hasText: 'def send_with_retries' }).first();
    await name.locator('span', { hasText: 'send_with_retries' }).last().hover();
    await until('the hover', async () => /^for /m.test((await page.locator('.monaco-hover').allInnerTexts()).join('\n')));
    await picture('hover');
    await page.keyboard.press('Escape');
  },

  async 'lines are found by a regular expression'() {
    await page.keyboard.press('Control+K');
    await page.keyboard.press('Alt+G');
    await asks('A regular expression');
    await page.keyboard.type('raise \\w+Error', { delay: 25 });
    await row(/raise GaveUpError/);
    await row(/\d+ lines in \d+ files/);
    await picture('grep');
    await page.keyboard.type('(', { delay: 25 });
    await row(/missing \)/);
    await page.locator('.quick-input-titlebar .codicon-regex').click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('GaveUpError(', { delay: 25 });
    await row(/class GaveUpError\(Exception\)/);
    await page.locator('.quick-input-titlebar .codicon-case-sensitive').click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('gaveuperror(', { delay: 25 });
    await row(/class GaveUpError\(Exception\)/);
    assert.doesNotMatch(await page.locator('.quick-input-title').innerText(), /Match Case|Regular/);
    await page.locator('.quick-input-titlebar .codicon-go-to-file').click();
    await until('the tab', async () => /^Lines/.test((await activeTab.getAttribute('aria-label')) ?? ''));
    await until('the lines with those around them', async () =>
      /courier\/retry\.py:[\s\S]*14: class GaveUpError/.test(await editorText()));
    await picture('grep-editor');
    assert.match(await activeTab.getAttribute('aria-label'), /^Lines/);
    await command('View: Close Editor');
    await search('/raise \\w+Error/');
    await row(/send_with_retries/);
    await page.keyboard.press('Escape');
  },

  async 'what the holes of a pattern are narrows the answer'() {
    await search('raise $E($$$)');
    const facet = await row(/Only \$E = AssertionError/);
    await picture('facets');
    await rows.nth((await labels()).indexOf(facet)).click();
    await until('one kind of error', async () => !(await labels()).some((label) => /Client/.test(label)));
    await row(/^send_with_retries/);
    await page.keyboard.press('Escape');
  },

  async 'code of the structure of the line is found, ranked by words and narrowed by a hole'() {
    const placeholder = 'Words rank the code of this structure';
    await openAt('retry.py', 35);
    await command('Packhound: Find Structure Like This');
    await asks(placeholder);
    await row(/these have the shape 'raise \$CALL', with holes for literals, arguments and calls/);
    await row(/_send, courier\/client\.py/);
    await picture('like');
    await page.keyboard.type('give up', { delay: 25 });
    await row(/^send_with_retries/);
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Backspace');
    await row(/^Client\._send/);
    const hole = await row(/Only \$CALL = AssertionError/);
    await rows.nth((await labels()).indexOf(hole)).click();
    await until('one kind of error', async () => !(await labels()).some((label) => /Client/.test(label)));
    await picture('like-hole');
    await page.keyboard.press('Escape');
    await openAt('retry.py', 21);
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await command('Packhound: Find Structure Like This');
    await row(/select one whole expression, statement or definition/);
    await picture('like-broken');
    await page.keyboard.press('Escape');
  },

  async 'Ctrl+T finds a definition by its name'() {
    await page.keyboard.press('Control+T');
    await asks('');
    await page.keyboard.type('AnswerCache', { delay: 25 });
    await row(/AnswerCache/);
    await page.keyboard.press('Escape');
  },

  async 'a line above each definition counts callers, tests and notes, where that is switched on'() {
    await openAt('retry.py', 18);
    const lens = page.locator('.codelens-decoration a', { hasText: '1 caller · 2 tests' });
    assert.equal(await lens.count(), 0);
    changeSettings({ 'packhound.search.codeLens': true });
    await lens.waitFor();
    await picture('lens');
    // A click is lost where the lines are drawn anew at that moment.
    await until('what it calls', async () => {
      await lens.click({ timeout: 5000 });
      return asks('What the definition', 15_000).then(() => true);
    });
    await row(/^send_with_retries/);
    await page.keyboard.press('Escape');
    changeSettings({});
    await lens.waitFor({ state: 'detached' });
    await command('View: Close All Editors');
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
    await asks('Untick what');
    const title = page.locator('.quick-input-title');
    const count = async () => Number(/([\d,]+) of 4,000/.exec(await title.innerText())[1].replace(',', ''));
    const [all] = [await until('the count of all', count)];
    await picture('pack-files');
    // A folder is unticked with its files, and ticked with the last of them.
    const folder = rows.filter({ hasText: 'courier/' }).first();
    await folder.click();
    await until('no file of the folder', async () => (await count()) < all / 2);
    await picture('pack-folder');
    await folder.click();
    await until('all files', async () => (await count()) === all);
    await rows.filter({ hasText: 'urls.py' }).first().click();
    await until('fewer tokens', async () => (await count()) < all);
    await page.keyboard.press('Enter');
    // It is folded below, then shown from its head.
    const text = await until('the pack', async () => {
      const shown = await editorText();
      return /[\d,]+ of 4,000\s+tokens/.test(shown) && shown;
    });
    const [, used] = /([\d,]+) of 4,000\s+tokens/.exec(text);
    assert.ok(Number(used.replace(',', '')) <= 4000, used);
    assert.match(text, /courier\/retry\.py/);
    assert.match(text, /^\s*# Let retries stop after a total time/);
    assert.doesNotMatch(text, /### courier\/urls\.py/);
    await page.keyboard.press('Control+B');
    await picture('pack');
    await page.keyboard.press('Control+B');
    await command('Packhound: Copy Context Pack');
    await command('Packhound: Show Context Pack as a Page');
    const drawing = page.frameLocator('iframe.webview').frameLocator('#active-frame').getByRole('heading', { name: 'How the parts hang together' });
    await drawing.waitFor();
    await page.frameLocator('iframe.webview').frameLocator('#active-frame').getByText(/of 4,000 tokens in/).first().waitFor();
    await picture('pack-page');
    await page.keyboard.press('Control+F4');
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
    const ticks = page.locator('.getting-started-step .codicon-getting-started-step-checked');
    await until('a tick at each step', async () => (await ticks.count()) === 4);
    await picture('walkthrough');
  },
}));
