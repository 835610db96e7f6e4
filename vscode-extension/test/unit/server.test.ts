import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { forServer } from '../../src/server/configuration';
import { onlyNewest } from '../../src/server/onlyNewest';
import { fileNames, findOnPath } from '../../src/server/pathLookup';
import { RestartPolicy } from '../../src/server/restartPolicy';
import { findServer, sameCommand, type Machine, type Python } from '../../src/server/serverCommand';
import { outdated, type Problem } from '../../src/server/serverProblem';

const CARRIED = '/extension/bundled/python/bin/python3';
const INSTALLED = '/storage/server/bin/packhound';

function python(program: string, minor = '3.12', hasPackhound = false): Python {
  return { program, args: [], minor, hasPackhound };
}

/** Everything is there: what a test takes away shows what comes next. */
function machine(changes: Partial<Machine> = {}): Machine {
  return {
    trusted: true,
    configuredPath: [],
    configuredInterpreter: '',
    carried: CARRIED,
    installed: INSTALLED,
    selectedInterpreter: () => Promise.resolve('/env/python'),
    probe: (program) => Promise.resolve(python(program, '3.12', true)),
    pythonsOnPath: () => each(python('/bin/python3', '3.13')),
    onPath: (program) => Promise.resolve(`/bin/${program}`),
    ...changes,
  };
}

async function* each(...pythons: Python[]): AsyncGenerator<Python> {
  for (const one of pythons) {
    yield await Promise.resolve(one);
  }
}

const without = (...programs: string[]): Machine['onPath'] => {
  return (asked) => Promise.resolve(programs.includes(asked) ? undefined : `/bin/${asked}`);
};

async function found(changes: Partial<Machine>): Promise<string> {
  const { command, problem } = await findServer(machine(changes));
  return command ? [command.program, ...command.args].join(' ') : problem.reason;
}

const noPackhound: Machine['probe'] = (program) => Promise.resolve(python(program, '3.11'));
const bare = { probe: noPackhound, onPath: without('packhound') };

test('the server is looked for in the promised order', async () => {
  assert.equal(await found({ configuredPath: ['/own/packhound', '-v'] }), '/own/packhound -v');
  assert.equal(await found({ configuredInterpreter: '/py' }), '/py -m packhound');
  assert.equal(await found({}), '/env/python -m packhound');
  assert.equal(await found({ probe: noPackhound }), '/bin/packhound');
  assert.equal(
    await found({ selectedInterpreter: () => Promise.resolve(undefined) }),
    '/bin/packhound',
  );
  assert.equal(await found(bare), `${CARRIED} -I -m packhound`);
  const small = { ...bare, carried: undefined };
  assert.equal(await found(small), INSTALLED);
  assert.equal(await found({ ...small, installed: undefined }), '/bin/uvx packhound');
});

test('what is missing is said in a sentence with what mends it', async () => {
  const nothing = {
    probe: noPackhound,
    onPath: () => Promise.resolve(undefined),
    carried: undefined,
    installed: undefined,
  };
  const problem = async (...pythons: Python[]): Promise<Problem | undefined> =>
    (await findServer(machine({ ...nothing, pythonsOnPath: () => each(...pythons) }))).problem;
  assert.match((await problem())?.reason ?? '', /needs Python 3\.10 or newer, and there is none/);
  const old = python('/bin/python3', '3.9');
  assert.match((await problem(old))?.reason ?? '', /and there is none/);
  const found_ = await problem(old, python('/bin/python3.11', '3.11'));
  assert.deepEqual(found_?.remedies, ['Install Server', 'Choose Python', 'How to Install']);
  assert.match(await found({ ...nothing, configuredInterpreter: '/py' }), /\/py does not have/);
  const broken = { configuredInterpreter: '/nowhere', probe: () => Promise.resolve(undefined) };
  assert.match(await found(broken), /names "\/nowhere", which is not a Python/);
});

test("an untrusted folder's interpreter is not run", async () => {
  assert.equal(await found({ trusted: false }), '/bin/packhound');
  assert.equal(await found({ ...bare, trusted: false }), `${CARRIED} -I -m packhound`);
});

test('a server of an older release is named with the way to a newer one', () => {
  const command = { program: '/bin/packhound', args: [], source: 'packhound on the PATH' };
  const problem = outdated('0.1.9', '0.2.0', command);
  assert.match(problem?.reason ?? '', /is 0\.1\.9, and this extension needs 0\.2 or newer/);
  assert.equal(outdated('0.2.0', '0.2.5', command), undefined);
  assert.equal(outdated('1.0.0', '0.2.5', command), undefined);
  assert.equal(outdated(undefined, '0.2.5', command), undefined);
});

test('a server that ends five times in three minutes is not started again', () => {
  let now = 0;
  const policy = new RestartPolicy(() => now);
  assert.ok(!policy.ended(), 'it never ran');
  policy.hasRun = true;
  for (const seconds of [0, 100, 181, 181, 181]) {
    now = seconds * 1000;
    assert.ok(policy.ended(), `${seconds} s`);
  }
  assert.ok(!policy.ended());
  assert.ok(policy.hasGivenUp);
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
