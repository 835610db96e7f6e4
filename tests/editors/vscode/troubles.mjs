// node troubles.mjs CONFIG.json: what can go wrong is said in one plain sentence with a button, and
// is gone when it is mended. CONFIG as in user.mjs, and `pid`: the file with the server's process.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { play } from './hands.mjs';

const { pid } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const process_ = () => Number(readFileSync(pid, 'utf8'));

await play(({ page, status, toasts, until, labels, row, rows, picture, command, search, ready, changeSettings }) => {
  const toast = (pattern) =>
    until(`a message like ${pattern}`, async () =>
      (await toasts.allInnerTexts()).find((text) => pattern.test(text.replace(/\s+/g, ' '))),
    );
  const quiet = async () => {
    await command('Notifications: Clear All Notifications');
    await until('no message', async () => (await toasts.count()) === 0);
  };
  const icon = (name) =>
    until(`the icon ${name}`, async () => (await status.innerHTML()).includes(`codicon-${name}`));

  return {
    async 'a bad value is said at once with the legal ones, and its setting is a click away'() {
      await ready();
      changeSettings({ 'packhound.search.limit': 0 });
      await toast(/search\.limit' is 0; expected .*between 1 and 1,000/);
      assert.equal(await toasts.count(), 1);
      await picture('bad-setting');
      await toasts.locator('.monaco-button', { hasText: 'Open Setting' }).click();
      await page.locator('.settings-editor', { hasText: 'How many hits a search shows' }).waitFor();
      await page.keyboard.press('Escape');
      await page.locator('.settings-editor').waitFor({ state: 'hidden' });
    },

    async 'a bad model is said in a sentence, and gone when the setting is mended'() {
      changeSettings({ 'packhound.encoder.path': '/nowhere' });
      await toast(/lexical search only: setting 'encoder\.path': model folder \/nowhere/);
      await icon('warning');
      await quiet();
      changeSettings({});
      await ready();
      assert.equal(await toasts.count(), 0);
    },

    async 'a bad server path is said in a sentence, and gone when the setting is mended'() {
      changeSettings({ 'packhound.server.path': ['/nowhere/packhound'] });
      await toast(/server from the setting "packhound\.server\.path" \("\/nowhere\/packhound"\) could not be started/);
      assert.equal(await toasts.count(), 1);
      await picture('bad-server-path');
      await quiet();
      changeSettings({});
      await ready();
      assert.equal(await toasts.count(), 0);
    },

    async 'five kills end with one message, whose button starts the server again'() {
      for (let kills = 1; kills <= 5; kills += 1) {
        const killed = process_();
        process.kill(killed, 'SIGKILL');
        if (kills < 5) {
          // Five ends count within three minutes: a busy machine cannot wait for an index each time.
          await until('another server', async () => process_() !== killed);
          await until('its answer', async () => !/starting/.test(await status.innerText()));
          assert.equal(await toasts.count(), 0);
        }
      }
      await toast(/ended five times in three minutes/);
      assert.equal(await toasts.count(), 1);
      await icon('error');
      await picture('five-kills');
      await toasts.locator('.monaco-button', { hasText: 'Restart Server' }).click();
      await ready();
    },

    async 'a query that finds nothing offers other filters, and a click asks again'() {
      await search('mask a password kind:trait');
      const offer = await row(/Without kind:trait/);
      await picture('suggestions');
      await rows.nth((await labels()).indexOf(offer)).click();
      await row(/mask_password/);
      await page.keyboard.press('Escape');
    },

    async 'rows of an older text are dim until the newer ones come'() {
      await search('mask a password');
      await row(/^mask_password/);
      const names = () => page.locator('.quick-input-list .monaco-list-row .label-name').first().innerText();
      process.kill(process_(), 'SIGSTOP');
      try {
        await page.keyboard.type(' in logs', { delay: 25 });
        await until('a row without a bright name', async () => (await names()).trim() === '');
        assert.match((await labels()).join(), /mask_password/);
        await picture('dim');
      } finally {
        process.kill(process_(), 'SIGCONT');
      }
      await until('bright rows', async () => /mask_password/.test(await names()));
      await page.keyboard.press('Escape');
    },

    async 'Ctrl+T shows a path once'() {
      await page.keyboard.press('Control+T');
      await page.keyboard.type('send_with_retries', { delay: 25 });
      await row(/send_with_retries/);
      const [text] = await rows.allInnerTexts();
      assert.equal(text.split('retry.py').length, 2, text);
      await picture('symbols');
      await page.keyboard.press('Escape');
    },

    async 'debug information is copied, without names of the home folder'() {
      await command('Packhound: Copy Debug Information');
      await page.getByText('the debug information was copied').waitFor();
    },
  };
});
