// node newcomer.mjs CONFIG.json: what someone sees who has the extension and no server. CONFIG as in
// user.mjs, with a PATH that has neither packhound nor uvx.
import assert from 'node:assert/strict';
import { play } from './hands.mjs';

const INSTALL_MS = 400_000;

await play(({ page, status, until, command, picture, search, row }) => ({
  async 'without a server one message says at once what to do, and so does the status bar'() {
    const toast = page.locator('.notification-toast');
    await toast.first().waitFor();
    assert.equal(await toast.count(), 1);
    assert.match(await toast.innerText(), /has no server yet/);
    await until('the status', async () =>
      (await status.innerHTML()).includes('codicon-circle-slash'),
    );
    await picture('newcomer');
    await page.keyboard.press('Escape');
    await command('Notifications: Clear All Notifications');
    await until('no message', async () => (await toast.count()) === 0);
  },

  async 'asking for a search says so again, with a way out'() {
    await command('Packhound: Search Code');
    const toast = page.locator('.notification-toast');
    await toast.first().waitFor();
    assert.equal(await toast.count(), 1);
    await toast.locator('.monaco-button', { hasText: 'How to Install' }).click();
    await page.locator('.gettingStartedContainer', { hasText: 'Start the server' }).waitFor();
    await picture('walkthrough');
  },

  async 'the server is installed in an environment of its own, and serves'() {
    await command('Packhound: Install Server');
    await until(
      'the status turns ready',
      async () => (await status.innerHTML()).includes('codicon-check'),
      INSTALL_MS,
    );
    await search('send a request again after a growing delay');
    await row(/send_with_retries/);
  },
}));
