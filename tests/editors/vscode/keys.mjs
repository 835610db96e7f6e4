// node keys.mjs CONFIG.json: types around the lists of hits at any moment, with auto save on, and looks
// where every key goes. CONFIG as for user.mjs, and {pauses: those in milliseconds, one for each sequence, without
// and with a file open, each with an extension host that is not slow and slow}.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { play, SEARCH } from './hands.mjs';

const { workspace, pauses } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const OWN = 'courier/urls.py';
const LINE = 8;
// Finds no hit in OWN.
const QUERY = 'send a request again after a growing delay';
const SECOND = 'kind:class throttle clients';
// Its second answer has another order.
const UNSURE = 'limit how many requests a client may send';
const TYPED = 'hello';
// What each message to a slow extension host waits.
const SLOW_MS = 100;
// Longer than a second answer takes.
const VERY_SLOW_MS = 3000;
// Longer than auto save waits, and any message that is on its way.
const restMs = (delay) => 300 + 4 * delay;
const NOTEBOOK = {
  cells: [
    { cell_type: 'code', execution_count: null, metadata: {}, outputs: [], source: 'def smooth_harvest(weights):\n    return sum(weights) / 3' },
  ],
  metadata: { language_info: { name: 'python' } },
  nbformat: 4,
  nbformat_minor: 5,
};

const git = (...args) => execFileSync('git', ['-C', workspace, ...args], { encoding: 'utf8' });
const ownText = () => readFileSync(path.join(workspace, OWN), 'utf8');
writeFileSync(path.join(workspace, 'parcels.ipynb'), JSON.stringify(NOTEBOOK));
git('add', '.');
git('-c', 'user.name=Courier', '-c', 'user.email=courier@example.invalid', 'commit', '--quiet', '-m', 'Parcels');

/** Has messages to the server wait in order, and notes which part of the window each key reaches. */
function slowAndWatched() {
  const Plain = window.WebSocket;
  window.packhoundDelay = 0;
  window.packhoundKeys = [];
  window.WebSocket = class extends Plain {
    #due = 0;
    #waiting = 0;

    send(data) {
      const now = performance.now();
      this.#due = Math.max(now + window.packhoundDelay, this.#due);
      if (this.#waiting === 0 && this.#due <= now) {
        super.send(data);
        return;
      }
      this.#waiting += 1;
      setTimeout(() => {
        this.#waiting -= 1;
        if (this.readyState === Plain.OPEN) {
          super.send(data);
        }
      }, this.#due - now);
    }
  };
  addEventListener('keydown', ({ key, ctrlKey }) => {
    if (key.length > 1 || ctrlKey) {
      return;
    }
    const element = document.activeElement;
    const editor = element?.closest('.editor-instance');
    const group = editor?.closest('.editor-group-container');
    const name = group?.querySelector('.tab.active')?.getAttribute('data-resource-name');
    window.packhoundKeys.push(element?.closest('.quick-input-widget') ? 'box' : (name ?? 'nowhere'));
  }, true);
}

await play(({ page, until, asks, labels, row, cursor, picture, command, ready, openAt }) => {
  const setDelay = (ms) => page.evaluate((value) => { window.packhoundDelay = value; }, ms);
  const keys = () => page.evaluate(() => window.packhoundKeys.splice(0));
  // Without the key that ends the chord.
  const reached = async () => [...new Set((await keys()).slice(1))];
  const names = () => page.locator('.tab').evaluateAll((tabs) => tabs.map((tab) => tab.getAttribute('data-resource-name')));
  const groups = () => page.locator('.editor-group-container').count();
  const press = async (...chord) => { for (const key of chord) { await page.keyboard.press(key); } };
  const chord = () => press('Control+K', 'h');
  const type = (text) => page.keyboard.type(text, { delay: 12 });
  const isClean = async () => git('status', '--porcelain') === '';
  let isOwnOpen = false;
  const others = async () => (await names()).filter((name) => !isOwnOpen || name !== path.basename(OWN));

  async function openOwn() {
    await command('View: Close All Editors');
    await openAt(path.basename(OWN), LINE);
    isOwnOpen = true;
  }

  async function preview(query = QUERY) {
    await until('the list with its query', async () => {
      await asks(SEARCH, 15_000);
      await press('Control+A');
      await type(query);
      return (await page.locator('.quick-input-widget input').first().inputValue()) === query;
    });
    await until('a preview', async () => (await others()).length === 1);
  }

  async function nothingIsLeft() {
    await until('no preview', async () => (await others()).length === 0 && (await groups()) === 1);
    await until('no box', async () => (await page.locator('.quick-input-widget:visible').count()) === 0);
  }

  /** Types into the editor that the user was in, and takes it back. */
  async function typesInOwn(where) {
    await keys();
    await type(TYPED);
    const [line, column] = /Ln (\d+), Col (\d+)/.exec(where).slice(1).map(Number);
    await until('what was typed', async () => ownText().split('\n')[line - 1].slice(column - 1).startsWith(TYPED));
    assert.deepEqual([...new Set(await keys())], [path.basename(OWN)]);
    assert.equal(git('status', '--porcelain').trim(), `M ${OWN}`);
    // Not undone: VS Code forgets an undo that comes while it saves.
    await press(...Array(TYPED.length).fill('Backspace'));
    await until('the text of before', isClean);
    await until('the cursor of before', async () => (await cursor.innerText()) === where);
  }

  async function sequence(pause, delay) {
    const where = isOwnOpen ? await cursor.innerText() : '';
    await keys();
    await setDelay(delay);
    await chord();
    await type('a query of the first moment');
    assert.deepEqual(await reached(), ['box']);
    await preview();
    await press('Escape');
    await page.waitForTimeout(pause);
    await keys();
    await chord();
    await press('Control+A');
    await type(SECOND);
    assert.deepEqual(await reached(), ['box']);
    await asks(SEARCH);
    await press('Escape');
    await page.waitForTimeout(pause);
    if (isOwnOpen) {
      await typesInOwn(where);
    }
    await nothingIsLeft();
    await page.waitForTimeout(restMs(delay));
    assert.equal(git('status', '--porcelain'), '');
    await setDelay(0);
  }

  /** A list that a chord opens previews a hit; after Escape the user types on. */
  async function listed(placeholder, ...chordOfList) {
    const where = await cursor.innerText();
    await setDelay(SLOW_MS);
    await press(...chordOfList);
    await asks(placeholder);
    return async () => {
      await until('a preview', async () => {
        await press('ArrowDown');
        return (await others()).length === 1;
      });
      await press('Escape');
      await typesInOwn(where);
      await nothingIsLeft();
      await setDelay(0);
    };
  }

  const steps = {
    async 'the index is ready'() {
      await ready();
      await command('View: Close All Editors');
    },
  };
  for (const isOpen of [false, true]) {
    if (isOpen) {
      steps['a file is open'] = openOwn;
    }
    for (const delay of [0, SLOW_MS]) {
      for (const [number, pause] of pauses.shift().entries()) {
        const name = `file open ${isOpen}, host slow by ${delay} ms, sequence ${number}`;
        steps[`${name}: no key reaches a file within ${pause} ms`] = () => sequence(pause, delay);
      }
    }
  }
  Object.assign(steps, {
    async 'what is typed long after Escape goes where the cursor was'() {
      const where = await cursor.innerText();
      await setDelay(SLOW_MS);
      await chord();
      await preview();
      await press('Escape');
      await page.waitForTimeout(1500);
      await typesInOwn(where);
      await nothingIsLeft();
    },

    async 'Enter opens a hit where the user was, and closes the preview'() {
      await chord();
      await preview();
      await picture('keys-preview');
      await press('Enter');
      await until('the hit alone', async () => (await groups()) === 1 && (await others()).join() === 'retry.py');
      await until('its line', async () => /Ln 26\b/.test(await cursor.innerText()));
      await openOwn();
    },

    async 'in two columns each stays as it is'() {
      await command('View: Split Editor Right');
      for (const column of ['Control+2', 'Control+1']) {
        await press(column);
        // Keys that come before the column has the focus are lost, and both cursors read the same.
        await until('the top', async () => {
          await press('Control+Home');
          return (await cursor.innerText()) === 'Ln 1, Col 1';
        });
        await press(...Array(LINE - 1).fill('ArrowDown'));
        const where = `Ln ${LINE}, Col 1`;
        await until('the cursor', async () => (await cursor.innerText()) === where);
        await setDelay(SLOW_MS);
        await chord();
        await preview();
        await press('Escape');
        await typesInOwn(where);
        await until('two columns', async () => (await groups()) === 2 && (await names()).length === 2 && (await others()).length === 0);
        await setDelay(0);
      }
      await openOwn();
    },

    async 'so after lines, calls and changes'() {
      const lines = await listed('A regular expression', 'Control+K', 'Alt+G');
      await type('raise \\w+Error');
      await row(/raise GaveUpError/);
      await lines();
      await (await listed('What the definition at the cursor', 'Control+K', 'Alt+S'))();
    },

    async 'so after the preview of a notebook'() {
      const where = await cursor.innerText();
      await setDelay(SLOW_MS);
      await chord();
      await preview('smooth_harvest');
      await until('the cell', async () => (await others()).join() === 'parcels.ipynb');
      await press('Escape');
      await typesInOwn(where);
      await nothingIsLeft();
    },

    async 'the row that the user goes to is the active one also in the order of a second answer'() {
      const names = async () => (await labels()).map((label) => label.split(',')[0]);
      const active = page.locator('.quick-input-list .monaco-list-row.focused');
      await chord();
      await asks(SEARCH);
      await press('Control+A');
      await page.keyboard.insertText(UNSURE);
      await row(/has limits/);
      await setDelay(VERY_SLOW_MS);
      const first = await names();
      await press('ArrowDown');
      await until('the second answer', async () => (await names()).join() !== first.join());
      await until('its row', async () => (await active.getAttribute('aria-label')).startsWith(`${first[1]},`));
      await press('Enter');
      await until('its file', async () => (await others()).length === 1 && (await groups()) === 1);
      await setDelay(0);
      await openOwn();
    },

    // VS Code gives the focus back before the extension hears of the command: keys of that moment are
    // the user's own file's, as with any command of any extension.
    async 'from the palette no key reaches what the search before has previewed'() {
      await setDelay(SLOW_MS);
      await chord();
      await preview();
      await press('Escape', 'F1');
      await asks('Type the name of a command');
      await page.keyboard.insertText('Packhound: Search Code');
      await row(/Packhound: Search Code/);
      await keys();
      await press('Enter');
      await type(SECOND);
      assert.ok((await keys()).every((where) => ['box', path.basename(OWN)].includes(where)));
      await asks(SEARCH);
      await press('Escape');
      await nothingIsLeft();
      assert.match(git('status', '--porcelain').trim(), new RegExp(`^(M ${OWN})?$`));
    },
  });
  return steps;
}, slowAndWatched);
