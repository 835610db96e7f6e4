// The hands and eyes of a user in the workbench of a page.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { startWorkbench } from './workbench.mjs';

// On a machine with twenty busy processes; nothing waits this long where nothing is wrong.
const PATIENCE_MS = 300_000;
// A box closes when something else takes the focus: then it is opened again.
const BOX_MS = 30_000;
// What appears is faded in.
const FADE_MS = 400;

export const SEARCH = 'A name, or what the code does';

/** Starts VS Code from the file CONFIG and does `steps(user)` in order, until one fails; `prepare` as there. */
export async function play(steps, prepare) {
  const config = JSON.parse(readFileSync(process.argv[2], 'utf8'));
  const vscode = await startWorkbench({ ...config, prepare });
  const user = { ...hands(vscode.page, config.screenshots, vscode.change), run: vscode.run, workspace: config.workspace };
  try {
    for (const [name, step] of Object.entries(steps(user))) {
      try {
        await step();
        console.log(`passed: ${name}`);
      } catch (error) {
        await user.picture('failed').catch(() => undefined);
        const rows = JSON.stringify(await user.labels().catch(() => []));
        const toasts = JSON.stringify(await user.toasts.allInnerTexts().catch(() => []));
        const shown = `rows: ${rows}\ntoasts: ${toasts}`;
        console.error(`failed: ${name}\n${error.stack}\n${shown}\n${vscode.logs()}`);
        process.exitCode = 1;
        break;
      }
    }
  } finally {
    await vscode.close();
  }
}

export function hands(page, screenshots, changeSettings) {
  page.setDefaultTimeout(PATIENCE_MS);
  const rows = page.locator('.quick-input-list .monaco-list-row');
  const status = page.locator('.statusbar-item', { hasText: 'Packhound' }).first();

  async function until(what, ask, patience = PATIENCE_MS) {
    const end = Date.now() + patience;
    for (;;) {
      const found = await ask().catch(() => undefined);
      if (found) {
        return found;
      }
      if (Date.now() > end) {
        throw new Error(`waited in vain for: ${what}`);
      }
      await page.waitForTimeout(100);
    }
  }

  // One box follows another in the same place, so each is known by what it asks for.
  const asks = (text, timeout = PATIENCE_MS) => {
    const placeholder = text && `[placeholder^="${text}"]`;
    return page.locator(`.quick-input-widget input${placeholder}:focus`).waitFor({ timeout });
  };
  const labels = () =>
    rows.evaluateAll((all) => all.map((row) => row.getAttribute('aria-label') ?? ''));
  const row = (pattern, patience = PATIENCE_MS) =>
    until(
      `a row like ${pattern}`,
      async () => (await labels()).find((label) => pattern.test(label)),
      patience,
    );

  /** Takes the row like `pattern` of the box that F1 opens, for a text in place of its `>`. */
  async function takeFromBox(text, pattern) {
    await until(`${pattern} in the box of F1`, async () => {
      await page.keyboard.press('F1');
      await asks('Type the name of a command', BOX_MS);
      await page.keyboard.press('Control+A');
      await page.keyboard.insertText(text);
      return row(pattern, BOX_MS);
    });
    await page.keyboard.press('Enter');
  }

  /** Opens a list until it has a row like `pattern`. */
  const listed = (open, pattern) =>
    until(`${pattern} in a list`, async () => {
      await open();
      return row(pattern, BOX_MS);
    });

  return {
    page,
    rows,
    listed,
    status,
    until,
    asks,
    labels,
    row,
    cursor: page.locator('#status\\.editor\\.selection'),
    changeSettings,
    toasts: page.locator('.notification-toast'),
    activeTab: page.locator('.tab.active').first(),
    // Previews are in the last group: of one of their own, or the only one.
    shownTab: page.locator('.tab.active').last(),

    async editorText() {
      const shown = await page.locator('.editor-instance .view-lines').allInnerTexts();
      return shown.join('\n').replaceAll('\u00a0', ' ');
    },

    async picture(name) {
      await page.waitForTimeout(FADE_MS);
      await page.screenshot({ path: path.join(screenshots, `${name}.png`) });
    },

    command: (title) => takeFromBox(`>${title}`, new RegExp(title)),

    /** Opens the search with its keys and types a query. */
    async search(query) {
      await until('the search', async () => {
        await page.keyboard.press('Control+K');
        await page.keyboard.press('h');
        return asks(SEARCH, BOX_MS).then(() => true);
      });
      await page.keyboard.type(query, { delay: 25 });
    },

    /** Takes a budget of 4,000 tokens, looks at the files of the pack, and packs them all. */
    async packAll() {
      await row(/4,000 tokens/);
      await page.keyboard.insertText('4,000');
      await page.keyboard.press('Enter');
      await asks('Untick what');
      await page.keyboard.press('Enter');
    },

    /** Opens a file of the workspace with the cursor in a 1-based line. */
    async openAt(name, line) {
      const there = async () =>
        new RegExp(`Ln ${line}\\b`).test(await page.locator('#status\\.editor\\.selection').innerText());
      // An Enter is lost where the box gets further rows at that moment.
      await until(`line ${line}`, async () => {
        await takeFromBox(`${name}:${line}`, new RegExp(name.replace('.', '\\.')));
        return until(`line ${line}`, there, BOX_MS);
      });
    },

    ready: () =>
      until('a ready index', async () => (await status.innerHTML()).includes('codicon-check')),
  };
}
