// node keystrokes.mjs CONFIG.json: types queries into Packhound's search and file names into VS Code's
// own "Go to File", and prints for each key when it went down, in seconds since the epoch, and the
// milliseconds until the list is drawn, as JSON.
// CONFIG: {clients, workspace, settings, extension (VSIX), queries, screenshots}.
import { readFileSync } from 'node:fs';
import { hands } from '../../tests/editors/vscode/hands.mjs';
import { startWorkbench } from '../../tests/editors/vscode/workbench.mjs';

/** A list that has not changed for so long is the answer. */
const QUIET_MS = 400;
const INDEXED_MS = 900_000;

const config = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const vscode = await startWorkbench(config);
const { page, until, asks, status } = hands(vscode.page, config.screenshots, vscode.change);

/** Runs in the page: notes when a key goes down, and when the rows it led to were drawn. */
function watch() {
  const times = { key: 0, drawn: 0 };
  window.addEventListener('keydown', () => Object.assign(times, { key: performance.now(), drawn: 0 }), true);
  const observer = new MutationObserver(() => {
    requestAnimationFrame(() => {
      times.drawn = performance.now();
    });
  });
  const list = document.querySelector('.quick-input-list');
  observer.observe(list, { childList: true, subtree: true, attributes: true, attributeFilter: ['aria-label'] });
  window.packhoundTimes = times;
}

/** Types a text key by key; each key waits for the rows of the one before. */
async function typed(text) {
  const samples = [];
  for (const character of text) {
    await page.keyboard.type(character);
    const drawn = await page.waitForFunction(
      (quiet) => {
        const { key, drawn } = window.packhoundTimes;
        const busy = document.querySelector('.quick-input-progress.active');
        const isStill = !busy && performance.now() - Math.max(key, drawn) > quiet;
        return isStill && { at: (performance.timeOrigin + key) / 1000, ms: drawn && drawn - key };
      },
      QUIET_MS,
    );
    const { at, ms } = await drawn.jsonValue();
    // A key that leaves the rows as they are draws nothing.
    if (ms > 0) {
      samples.push({ at, ms: Math.round(ms * 10) / 10 });
    }
  }
  return samples;
}

async function measure(open, placeholder, texts) {
  const samples = [];
  for (const text of texts) {
    await open();
    await asks(placeholder);
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Delete');
    await page.waitForTimeout(QUIET_MS);
    samples.push(...(await typed(text)));
    await page.keyboard.press('Escape');
  }
  return samples;
}

async function openSearch() {
  await page.keyboard.press('Control+K');
  await page.keyboard.press('h');
}

try {
  await page.waitForSelector('.monaco-workbench .part.statusbar');
  const end = Date.now() + INDEXED_MS;
  while (!(await status.innerHTML().catch(() => '')).includes('codicon-check') && Date.now() < end) {
    await page.waitForTimeout(500);
  }
  await openSearch();
  await asks('A name');
  await page.evaluate(watch);
  await page.keyboard.press('Escape');
  const [warmUp, ...queries] = config.queries;
  const search = () => measure(openSearch, 'A name', queries);
  const files = () => measure(() => page.keyboard.press('Control+P'), 'Search files by name', config.files);
  await measure(openSearch, 'A name', [warmUp]);
  // In turns, so that the load of the machine is the same for both.
  const first = { search: await search(), files: await files() };
  const second = { search: await search(), files: await files() };
  console.log(JSON.stringify({ search: [...first.search, ...second.search], files: [...first.files, ...second.files] }));
} finally {
  await vscode.close();
}
