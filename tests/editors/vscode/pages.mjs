// Opens pages in Chromium, light and dark, and reports what a reader would notice.
// node pages.mjs CONFIG, a JSON file: {clients, pages: [path], pictures, report}
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { chromiumPath } from './workbench.mjs';

const config = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const { chromium } = createRequire(path.join(config.clients, 'vscode/package.json'))('playwright-core');
const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox', '--disable-gpu'] });
const report = [];
for (const file of config.pages) {
  for (const colorScheme of ['light', 'dark']) {
    const page = await browser.newPage({ colorScheme, viewport: { width: 1100, height: 900 } });
    const requests = [];
    const messages = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => messages.push(message.text()));
    page.on('pageerror', (error) => messages.push(String(error)));
    await page.goto(`file://${file}`);
    await page.screenshot({ path: path.join(config.pictures, `${path.basename(file, '.html')}-${colorScheme}.png`) });
    const { faint, background, wanted, overflow } = await page.evaluate(look);
    report.push({ file, colorScheme, requests, messages, faint, background, overflow, wanted, reached: await reached(page, wanted) });
    await page.close();
  }
}
await browser.close();
writeFileSync(config.report, JSON.stringify(report));

/** How many places Tab leads to, each with a visible outline, before it leaves the page. */
async function reached(page, wanted) {
  for (let count = 0; count <= wanted; count += 1) {
    await page.keyboard.press('Tab');
    const outline = await page.evaluate(() => {
      const focused = document.activeElement;
      return focused === document.body ? '' : getComputedStyle(focused).outlineStyle;
    });
    if (outline === '' || outline === 'none') {
      return count;
    }
  }
  return wanted + 1;
}

/** In the page: texts with less contrast than 4.5 (WCAG AA), and how many places have a focus. */
function look() {
  const numbers = (color) => color.match(/[\d.]+/g).slice(0, 3).map(Number);
  const luminance = (color) => {
    const [r, g, b] = numbers(color).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const behind = (element) => {
    const box = element.closest('a, g')?.querySelector('.box');
    if (element.tagName === 'text' && box) {
      return getComputedStyle(box).fill;
    }
    for (let at = element; at; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if (backgroundColor !== 'rgba(0, 0, 0, 0)') {
        return backgroundColor;
      }
    }
    return 'rgb(255, 255, 255)';
  };
  const own = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  const faint = [];
  for (const element of document.querySelectorAll('body *')) {
    if (element.tagName !== 'title' && own(element)) {
      const style = getComputedStyle(element);
      const color = element.tagName === 'text' ? style.fill : style.color;
      if (contrast(color, behind(element)) < 4.5) {
        faint.push(element.outerHTML.slice(0, 200));
      }
    }
  }
  return {
    faint,
    background: getComputedStyle(document.body).backgroundColor,
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    wanted: document.querySelectorAll('a[href], summary, [tabindex="0"]').length,
  };
}
