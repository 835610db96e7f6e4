// node bundled.mjs CONFIG.json: the VSIX that carries the server, where the PATH has
// neither a Python nor Packhound. CONFIG as in user.mjs.
import { play } from './hands.mjs';

await play(({ ready, search, row, picture, command }) => ({
  async 'the carried server starts by itself'() {
    await ready();
  },

  async 'it answers a search'() {
    await search('send a request again after a growing delay');
    await row(/send_with_retries/);
  },

  async 'the status list says where the server comes from'() {
    await command('Packhound: Show Index Status');
    await row(/this extension/);
    await picture('bundled');
  },
}));
