// The hands and eyes of a user in the workbench of a page.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { startWorkbench } from './workbench.mjs';

const PATIENCE_MS = 90_000;
// What appears is faded in.
const FADE_MS = 400;

export const SEARCH = 'A name, or what the code does';

/** Starts VS Code from the file CONFIG and does `steps(user)` in order, until one fails. */
export async function play(steps) {
  const config = JSON.parse(readFileSync(process.argv[2], 'utf8'));
  const vscode = await startWorkbench(config);
  const user = hands(vscode.page, config.screenshots, vscode.change);
  try {
    for (const [name, step] of Object.entries(steps(user))) {
      try {
        await step();
        console.log(`passed: ${name}`);
      } catch (error) {
        await user.picture('failed').catch(() => undefined);
        const rows = JSON.stringify(await user.labels().catch(() => []));
        console.error(`failed: ${name}\n${error.stack}\nrows: ${rows}\n${vscode.logs()}`);
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

  async function until(what, ask) {
    const end = Date.now() + PATIENCE_MS;
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
  const asks = (text) => {
    const placeholder = text && `[placeholder^="${text}"]`;
    return page.locator(`.quick-input-widget input${placeholder}:focus`).waitFor();
  };
  const labels = () =>
    rows.evaluateAll((all) => all.map((row) => row.getAttribute('aria-label') ?? ''));
  const row = (pattern) =>
    until(`a row like ${pattern}`, async () =>
      (await labels()).find((label) => pattern.test(label)),
    );

  return {
    page,
    rows,
    status,
    until,
    asks,
    labels,
    row,
    cursor: page.locator('#status\\.editor\\.selection'),
    changeSettings,
    toasts: page.locator('.notification-toast'),
    activeTab: page.locator('.tab.active').first(),

    async editorText() {
      const shown = await page.locator('.editor-instance .view-lines').allInnerTexts();
      return shown.join('\n').replaceAll('\u00a0', ' ');
    },

    async picture(name) {
      await page.waitForTimeout(FADE_MS);
      await page.screenshot({ path: path.join(screenshots, `${name}.png`) });
    },

    async command(title) {
      await page.keyboard.press('F1');
      await asks('Type the name of a command');
      await page.keyboard.insertText(title);
      await row(new RegExp(title));
      await page.keyboard.press('Enter');
    },

    /** Opens the search with its keys and types a query. */
    async search(query) {
      await page.keyboard.press('Control+K');
      await page.keyboard.press('h');
      await asks(SEARCH);
      await page.keyboard.type(query, { delay: 25 });
    },

    /** Opens a file of the workspace with the cursor in a 1-based line. */
    async openAt(name, line) {
      await page.keyboard.press('F1');
      await asks('Type the name of a command');
      await page.keyboard.press('Control+A');
      await page.keyboard.insertText(`${name}:${line}`);
      await row(new RegExp(name.replace('.', '\\.')));
      await page.keyboard.press('Enter');
      await until(`line ${line}`, async () =>
        new RegExp(`Ln ${line}\\b`).test(await page.locator('#status\\.editor\\.selection').innerText()),
      );
    },

    ready: () =>
      until('a ready index', async () => (await status.innerHTML()).includes('codicon-check')),
  };
}
