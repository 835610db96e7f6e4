// node newcomer.mjs CONFIG.json: what someone sees who has the extension and no server. CONFIG as in
// user.mjs, with a PATH that has neither packhound nor uvx.
import assert from 'node:assert/strict';
import { play } from './hands.mjs';

await play(({ page, status, until, command, picture }) => ({
  async 'the status bar says that there is no server, and nothing pops up'() {
    await until('the status', async () =>
      (await status.innerHTML()).includes('codicon-circle-slash'),
    );
    assert.equal(await page.locator('.notification-toast').count(), 0);
  },

  async 'asking for a search gives one message with a way out'() {
    await command('Packhound: Search Code');
    const toast = page.locator('.notification-toast');
    await toast.first().waitFor();
    assert.equal(await toast.count(), 1);
    assert.match(await toast.innerText(), /cannot find its server.*pip install packhound/);
    await picture('newcomer');
    await toast.locator('.monaco-button', { hasText: 'How to Install' }).click();
    await page.locator('.gettingStartedContainer', { hasText: 'Install the server' }).waitFor();
    await picture('walkthrough');
  },
}));
