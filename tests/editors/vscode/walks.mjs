// node walks.mjs CONFIG.json: a user's way through the lists, the side bar and the pages with the
// keyboard alone, under one of the conditions of CONFIG's `walk`, with a picture of each stage.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { play } from './hands.mjs';

const { walk } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const QUERY = 'send a request again after a growing delay';
const German = walk === 'german';
const said = (english, german) => (German ? german : english);
const ICONS = /symbol-|\$\(|star-full|codicon/;

function speakGerman() {
  globalThis._VSCODE_NLS_LANGUAGE = 'de';
}

await play(({ page, rows, status, until, asks, labels, row, picture, command, ready, openAt, activeTab, shownTab, editorText }) => {
  const shot = (name) => picture(`${walk}-${name}`);
  const keys = async (...all) => {
    for (const key of all) {
      await page.keyboard.press(key);
    }
  };
  const box = said('A name, or what the code does', 'Ein Name, oder was der Code tut');
  const search = async () => {
    await until('the search', async () => {
      await keys('Control+K', 'h');
      return asks(box, 15_000).then(() => true);
    });
    await page.keyboard.press('Control+A');
    await page.keyboard.type(QUERY, { delay: 25 });
    await row(/^send_with_retries/);
  };
  /** Nothing of the list lies outside of the window, and each row says something. */
  const fits = async () => {
    const { width } = page.viewportSize();
    const parts = page.locator('.quick-input-widget, .quick-input-list .monaco-list-row');
    const places = await parts.evaluateAll((all) =>
      all.map((part) => part.getBoundingClientRect()).map(({ left, right }) => ({ left, right })));
    for (const place of places) {
      assert.ok(place.left >= 0 && place.right <= width + 1, JSON.stringify(place));
    }
    for (const label of await labels()) {
      assert.ok(label.trim() && !ICONS.test(label), label);
    }
  };

  return {
    async 'the index is ready, in a folder that is not trusted too'() {
      await page.waitForSelector('.monaco-workbench .part.statusbar');
      if (walk === 'untrusted') {
        await page.getByText('Restricted Mode is intended for safe code browsing').waitFor();
      }
      await ready();
      await shot('start');
    },

    async 'a search is opened, read out and left by keys'() {
      await search();
      // Answers to what was typed before may come in between.
      await until('the last answer', async () => /^send_with_retries.*retry\.py:26/.test((await labels())[0] ?? ''));
      await fits();
      await until('the preview', async () => (await shownTab.getAttribute('aria-label'))?.includes('retry.py, preview'));
      await shot('search');
      if (walk === 'roots') {
        assert.ok((await labels()).some((label) => /depot/.test(label)), String(await labels()));
      }
      // An Enter is lost where new rows come at that moment.
      await until('the file', async () => {
        if (await rows.first().isVisible()) {
          await keys('Enter');
        }
        await page.locator('.monaco-editor.focused').first().waitFor({ timeout: 15_000 });
        return (await activeTab.getAttribute('aria-label')).includes('retry.py');
      });
    },

    async 'the side bar is walked by keys and read out'() {
      const tree = page.locator('.part.sidebar .monaco-list:focus').first();
      // The first time the view is made, and may come too late for the focus.
      await until('the focus', async () => {
        await command(said('Packhound: Focus on Results View', 'Packhound: Focus on Ergebnisse View'));
        return tree.waitFor({ timeout: 5000 }).then(() => true);
      });
      await keys('Home');
      const focused = tree.locator('.monaco-list-row.focused');
      await until('the row of a hit', async () => {
        await keys('ArrowDown');
        return /send_with_retries/.test(await focused.getAttribute('aria-label', { timeout: 2000 }));
      });
      await keys('ArrowRight');
      await until('what is below', async () => {
        const spoken = await tree.locator('.monaco-list-row').evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')));
        return spoken.some((label) => /function send_with_retries in courier\/retry\.py:26|function send_with_retries in .*retry\.py:26/.test(label ?? ''));
      });
      for (const label of await tree.locator('.monaco-list-row').evaluateAll((all) => all.map((each) => each.getAttribute('aria-label') ?? each.textContent))) {
        assert.ok(label.trim() && !ICONS.test(label), label);
      }
      await shot('results');
      await keys('Control+K', 'Alt+A');
      const pins = page.locator('.part.sidebar .pane', { hasText: said('Next Context Pack', 'Nächstes Kontextpaket') });
      await pins.locator('.monaco-list-row', { hasText: 'send_with_retries' }).waitFor();
    },

    async 'why it ranked there is a page that keys unfold'() {
      await keys('Control+K', 'Alt+W');
      const account = page.frameLocator('iframe.webview').frameLocator('#active-frame').locator('body');
      await until('the account', async () => (await account.innerText()).includes(said('What speaks for it', 'Was dafür spricht')));
      await account.locator('summary').first().focus();
      await page.keyboard.press('Enter');
      await until('the groups', async () => (await account.locator('details[open]').count()) > 0);
      const wide = await account.evaluate((body) => body.scrollWidth - body.clientWidth);
      assert.ok(wide <= 1, `the page is ${wide} px wider than its editor`);
      await shot('why');
      await command('View: Close Editor');
    },

    async 'lines, notes, changes and status'() {
      await openAt('retry.py', 26);
      await keys('Control+K', 'Alt+G');
      await asks(said('A regular expression', 'Ein regulärer Ausdruck'));
      await page.keyboard.press('Control+A');
      await page.keyboard.type('raise \\w+Error', { delay: 25 });
      await row(/raise GaveUpError/);
      await fits();
      await shot('lines');
      await keys('Escape', 'Control+K', 'Alt+S');
      await asks(said('What the definition', 'Was mit der Definition'));
      await row(/backoff_delays/);
      await fits();
      await shot('calls');
      await keys('Escape');
      await command(said('Packhound: Show Notes', 'Packhound: Notizen anzeigen'));
      await row(said(/no notes yet/, /noch keine Notizen/));
      await shot('notes');
      await keys('Escape');
      await command(said('Packhound: Show Index Status', 'Packhound: Stand des Index anzeigen'));
      await row(said(/definitions/, /Definitionen/));
      await fits();
      await shot('status');
      await keys('Escape');
    },

    async 'a pack is made by keys'() {
      await command(said('Packhound: Pack Context for Prompt', 'Packhound: Kontext für einen Prompt packen'));
      await asks(said('What is to be done?', 'Was ist zu tun?'));
      await page.keyboard.insertText('Let retries stop after a total time, in courier/retry.py');
      await keys('Enter');
      await row(said(/4,000 tokens/, /4\.000 Tokens/));
      await shot('budget');
      await page.keyboard.insertText(said('4,000', '4.000'));
      await keys('Enter');
      await asks(said('Untick what', 'Häkchen bei dem entfernen'));
      await fits();
      await shot('files');
      await keys('Enter');
      await until('the pack', async () => said(/of 4,000\s+tokens/, /von 4\.000\s+Tokens/).test(await editorText()));
      await shot('pack');
    },

    async 'the pages of the walkthrough have the texts too'() {
      await command('Welcome: Open Walkthrough');
      await asks('Select a walkthrough');
      await page.keyboard.insertText('Packhound');
      await row(said(/Get started with Packhound/, /Erste Schritte mit Packhound/));
      await keys('Enter');
      // The first step is open, with its page.
      const step = page.locator('.getting-started-step.expanded');
      await step.filter({ hasText: said('Start the server', 'Den Server starten') }).waitFor();
      const text = page.frameLocator('iframe.webview').frameLocator('#active-frame').locator('body');
      const heading = said('One program, on your machine', 'Ein Programm, auf Ihrem Rechner');
      await until('the page', async () => (await text.innerText()).includes(heading));
      await shot('walkthrough');
    },

    async 'the palette and the settings have the texts'() {
      await page.keyboard.press('F1');
      await asks('Type the name of a command');
      await page.keyboard.type('Packhound');
      await row(/Packhound: /);
      await shot('palette');
      await keys('Escape');
      await page.keyboard.press('Control+,');
      await page.locator('.settings-editor .monaco-editor').first().waitFor();
      await page.keyboard.type('packhound', { delay: 25 });
      await page.locator('.settings-editor', { hasText: said('How many hits a search shows', 'Wie viele Treffer eine Suche zeigt') }).waitFor();
      await shot('settings');
    },
  };
}, German ? speakGerman : undefined);
