import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { forServer } from '../../src/server/configuration';
import { onlyNewest } from '../../src/server/onlyNewest';
import { fileNames, findOnPath } from '../../src/server/pathLookup';
import { findServer, sameCommand, type Machine } from '../../src/server/serverCommand';

function machine(changes: Partial<Machine> = {}): Machine {
  return {
    trusted: true,
    configuredPath: [],
    configuredInterpreter: '',
    selectedInterpreter: () => Promise.resolve('/env/python'),
    hasPackhound: () => Promise.resolve(true),
    onPath: (program) => Promise.resolve(`/bin/${program}`),
    ...changes,
  };
}

const without = (program: string): Machine['onPath'] => {
  return (asked) => Promise.resolve(asked === program ? undefined : `/bin/${asked}`);
};

async function found(changes: Partial<Machine>): Promise<string | undefined> {
  const command = await findServer(machine(changes));
  return command && [command.program, ...command.args].join(' ');
}

test('the server is looked for in the promised order', async () => {
  assert.equal(await found({ configuredPath: ['/own/packhound', '-v'] }), '/own/packhound -v');
  assert.equal(await found({ configuredInterpreter: '/py' }), '/py -m packhound');
  assert.equal(await found({}), '/env/python -m packhound');
  assert.equal(await found({ hasPackhound: () => Promise.resolve(false) }), '/bin/packhound');
  assert.equal(
    await found({ selectedInterpreter: () => Promise.resolve(undefined) }),
    '/bin/packhound',
  );
  const bare = { hasPackhound: () => Promise.resolve(false) };
  assert.equal(await found({ ...bare, onPath: without('packhound') }), '/bin/uvx packhound');
  assert.equal(await found({ ...bare, onPath: () => Promise.resolve(undefined) }), undefined);
});

test("an untrusted folder's interpreter is not run", async () => {
  assert.equal(await found({ trusted: false }), '/bin/packhound');
});

test('only another program is a reason to restart', () => {
  const one = { program: '/a', args: ['x'], source: 'here' };
  assert.ok(sameCommand(one, { ...one, source: 'there' }));
  assert.ok(!sameCommand(one, { ...one, args: ['x', 'y'] }));
  assert.ok(!sameCommand(one, undefined));
  assert.ok(sameCommand(undefined, undefined));
});

test('programs are executable files in absolute folders of the PATH', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'packhound-'));
  try {
    const file = path.join(folder, 'hound');
    await writeFile(file, '#!/bin/sh\n');
    const look = (PATH: string): Promise<string | undefined> => findOnPath('hound', { PATH });
    assert.equal(await look(folder), undefined);
    await chmod(file, 0o755);
    assert.equal(await look(['.', '/nowhere', folder].join(path.delimiter)), file);
    assert.equal(await look(path.relative(process.cwd(), folder)), undefined);
    assert.equal(await look(''), undefined);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('on Windows a program has the endings of PATHEXT', () => {
  assert.deepEqual(fileNames('uvx', 'win32', '.EXE;.CMD'), ['uvx.exe', 'uvx.cmd']);
  assert.deepEqual(fileNames('uvx', 'linux', '.EXE;.CMD'), ['uvx']);
});

test('restarts asked for meanwhile become one', async () => {
  let runs = 0;
  const releases: (() => void)[] = [];
  const restart = onlyNewest(() => {
    runs += 1;
    return new Promise((done) => releases.push(done));
  });
  const all = [restart(), restart(), restart()];
  assert.equal(runs, 1);
  releases[0]?.();
  await all[0];
  await new Promise(setImmediate);
  assert.equal(runs, 2);
  releases[1]?.();
  await Promise.all(all);
  void restart();
  assert.equal(runs, 3);
  releases[2]?.();
});

test('a restart that fails does not stop the next', async () => {
  let runs = 0;
  const restart = onlyNewest(() => {
    runs += 1;
    return runs === 1 ? Promise.reject(new Error('no')) : Promise.resolve();
  });
  const first = restart();
  const second = restart();
  await assert.rejects(first);
  await second;
  assert.equal(runs, 2);
});

test('the server is not told settings that are the extension’s own', () => {
  const section = { limit: 7, server: { path: [] }, trace: { server: 'off' } };
  assert.deepEqual(forServer(section), { limit: 7 });
  assert.equal(forServer(null), null);
});
