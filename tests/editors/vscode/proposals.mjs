// node proposals.mjs CONFIG.json: lists what is proposed, looks at it, searches as if it were applied,
// rejects one proposal and accepts another. CONFIG as for user.mjs.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { play, SEARCH } from './hands.mjs';

const LONGER = `--- a/courier/retry.py
+++ b/courier/retry.py
@@ -8,3 +8,3 @@
 FIRST_DELAY_S = 0.2
-LONGEST_DELAY_S = 30.0
+LONGEST_DELAY_S = 60.0
 
--- /dev/null
+++ b/courier/parcel.py
@@ -0,0 +1,2 @@
+def weigh_parcel(grams):
+    return grams
`;
const LINTER = `#!/bin/sh
grep -rn '60[.]0' courier | sed 's|^\\([^:]*\\):\\([0-9]*\\):.*|{"filename": "\\1", "location": {"row": \\2, "column": 1}, "code": "D1", "message": "a long delay"}|'
`;
const SHORTER = LONGER.replace('+LONGEST_DELAY_S = 60.0', '+LONGEST_DELAY_S = 5.0');

await play(({ page, rows, until, asks, labels, row, editorText, activeTab, toasts, picture, command, ready, openAt, changeSettings, run, workspace }) => {
  const file = (name) => path.join(workspace, name);
  const propose = (diff, message) => {
    const patch = path.join(workspace, '..', 'proposed.diff');
    writeFileSync(patch, diff);
    return run('overlay', 'add', patch, '--message', message, '--author', 'ann', '--root', workspace);
  };
  const listed = async (title, pattern) => {
    await command(`Packhound: ${title}`);
    await row(pattern);
  };

  return {
    async 'what is proposed is listed with its verdict'() {
      // A browser's VS Code saves by itself.
      changeSettings({ 'files.autoSave': 'off' });
      await ready();
      propose(SHORTER, 'Wait less');
      propose(LONGER, 'Wait longer');
      await listed('Show Proposed Changes', /Wait longer.*no break is known/s);
      assert.match((await labels()).join('\n'), /Wait less/);
      await picture('proposals');
    },

    async 'Enter shows all its files in one editor'() {
      await rows.filter({ hasText: 'Wait longer' }).first().click();
      const changes = page.locator('.multiDiffEntry, .multi-diff-root-floating-menu, .monaco-component.multiDiffEditor');
      await changes.first().waitFor();
      await until('both files', async () => {
        const text = await editorText();
        return text.includes('LONGEST_DELAY_S = 60.0') && text.includes('def weigh_parcel');
      });
      assert.match(await activeTab.innerText(), /Proposed: Wait longer/);
      await picture('proposal-diff');
      assert.match(readFileSync(file('courier/retry.py'), 'utf8'), /LONGEST_DELAY_S = 30.0/);
    },

    async 'a check says what is new, at its line of the proposal and in the list'() {
      // A tool of the folder's own, as an installed linter would be: it finds long delays.
      const bin = file('.venv/bin');
      mkdirSync(bin, { recursive: true });
      const waits = path.join(workspace, '..', 'waits');
      writeFileSync(waits, '');
      const waiting = `grep -rq '60[.]0' courier && while [ -e '${waits}' ]; do sleep 0.1; done; true\n`;
      writeFileSync(path.join(bin, 'ruff'), LINTER + waiting, { mode: 0o755 });
      writeFileSync(file('ruff.toml'), '');
      changeSettings({ 'files.autoSave': 'off', 'packhound.changes.run': true });
      await listed('Check Proposed Change', /Wait longer/);
      await rows.filter({ hasText: 'Wait longer' }).first().click();
      // While the linter waits for the test, what it has printed is in Problems.
      await page.keyboard.press('Control+Shift+M');
      await page.getByText('a long delay').first().waitFor();
      await picture('proposal-checking');
      await page.keyboard.press('Control+Shift+M');
      rmSync(waits);
      await until('the outcome', async () => /check failed: 1 new error/.test((await toasts.allInnerTexts()).join()));
      await toasts.getByText('Show Changes').first().click();
      await until('the changes', async () => (await editorText()).includes('LONGEST_DELAY_S = 60.0'));
      await page.keyboard.press('Control+Shift+M');
      await page.getByText('a long delay').first().waitFor();
      await picture('proposal-check');
      await page.keyboard.press('Control+Shift+M');
      await listed('Show Proposed Changes', /Wait longer.*1 new/s);
      await picture('proposal-badge');
      await page.keyboard.press('Escape');
      for (const made of ['.venv', 'ruff.toml']) {
        rmSync(file(made), { recursive: true });
      }
    },

    async 'a search as if it were applied says so and opens what is proposed'() {
      await listed('Search as If a Proposed Change Were Applied', /Wait longer/);
      await rows.filter({ hasText: 'Wait longer' }).first().click();
      await asks(SEARCH);
      await page.keyboard.insertText('weigh_parcel');
      await row(/^weigh_parcel, /);
      const title = await page.locator('.quick-input-title').innerText();
      assert.match(title, /\+ as if "Wait longer" were applied/);
      await picture('proposal-search');
      await page.keyboard.press('Enter');
      await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
      await page.locator('.tab.active', { hasText: 'parcel.py' }).waitFor();
      await until('its text', async () => (await editorText()).includes('return grams'));
    },

    async 'one is rejected with a reason'() {
      await listed('Reject Proposed Change', /Wait less/);
      await rows.filter({ hasText: 'Wait less' }).first().click();
      await asks('Why?');
      await page.keyboard.insertText('Servers are slow');
      await page.keyboard.press('Enter');
      await until('the record', async () => /rejected by .*: Servers are slow/.test(run('overlay', 'list', '--all', '--root', workspace)));
    },

    async 'one is accepted: what is open is changed in the editor, by one step, the rest on the disk'() {
      await command('View: Close All Editors');
      await openAt('retry.py', 3);
      await listed('Accept Proposed Change', /Wait longer/);
      assert.doesNotMatch((await labels()).join('\n'), /Wait less/);
      await rows.filter({ hasText: 'Wait longer' }).first().click();
      await until('what is said of it', async () => /2 files changed; 1 of them open and not saved/.test((await toasts.allInnerTexts()).join()));
      await until('the change', async () => (await editorText()).includes('LONGEST_DELAY_S = 60.0'));
      await picture('proposal-accepted');
      await page.locator('.statusbar').getByLabel('No Problems').first().waitFor();
      assert.ok(existsSync(file('courier/parcel.py')));
      assert.match(readFileSync(file('courier/retry.py'), 'utf8'), /LONGEST_DELAY_S = 30.0/);
      await page.locator('.editor-instance .view-line').first().click();
      await page.keyboard.press('Control+Z');
      await until('one undo', async () => (await editorText()).includes('LONGEST_DELAY_S = 30.0'));
    },
  };
});
