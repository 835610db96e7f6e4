// node scripts/icon.mjs CLIENTS: draws media/icon.svg as the 128 pixel PNG that a package needs,
// with the Chromium that tests/editors/setup.sh has set up in the folder CLIENTS.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const media = path.join(path.dirname(fileURLToPath(import.meta.url)), '../media');
const host = path.resolve(process.argv[2] ?? '../.cache/clients', 'vscode/package.json');
const { chromium } = createRequire(host)('playwright-core');
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
const page = await browser.newPage({ viewport: { width: 128, height: 128 } });
const svg = readFileSync(path.join(media, 'icon.svg'), 'utf8');
await page.setContent(
  `<style>body{margin:0}svg{display:block;width:128px;height:128px}</style>${svg}`,
);
await page.screenshot({ path: path.join(media, 'icon.png'), omitBackground: true });
await browser.close();
