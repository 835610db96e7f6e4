// A real VS Code without a desktop: the server of code-server's npm package with its own
// extension host, and the workbench in Chromium. Everything lives in one temporary folder.
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

const START_TIMEOUT_MS = 300_000;

/**
 * Starts VS Code on `workspace`, a folder or a `.code-workspace`; `extension` is a VSIX to install,
 * `payload` goes to the workbench, and `prepare` is a function that runs in the page before it.
 * With `asksForTrust` the folder is not trusted; a `zoom` of 2 leaves half the room.
 */
export async function startWorkbench({ clients, workspace, settings = {}, extension, payload = [], prepare, asksForTrust, width = 1280, height = 800, zoom = 1 }) {
  const host = path.join(clients, 'vscode');
  const home = mkdtempSync(path.join(os.tmpdir(), 'packhound-vscode-'));
  const userData = path.join(home, 'user');
  mkdirSync(path.join(userData, 'Machine'), { recursive: true });
  // Settings of machine scope count only from here.
  const settingsFile = path.join(userData, 'Machine/settings.json');
  writeFileSync(settingsFile, JSON.stringify(settings));

  const node = path.join(host, 'node_modules/node/bin/node');
  const main = path.join(host, 'node_modules/code-server/lib/vscode/out/server-main.js');
  const folders = ['--server-data-dir', path.join(home, 'server'), '--user-data-dir', userData, '--extensions-dir', path.join(home, 'extensions')];
  const common = [main, '--accept-server-license-terms', ...folders];
  if (extension) {
    const done = spawnSync(node, [...common, '--install-extension', extension], { encoding: 'utf8' });
    if (!/successfully installed/.test(done.stdout)) {
      throw new Error(`the VSIX was not installed: ${done.stdout}${done.stderr}`);
    }
  }

  // Only with this flag is the payload looked at; but then messages stay hidden.
  const driver = payload.length > 0 ? ['--enable-smoke-test-driver'] : [];
  const port = await freePort();
  const logFile = path.join(home, 'server.log');
  const log = openSync(logFile, 'w');
  const server = spawn(
    node,
    [...common, '--host', '127.0.0.1', '--port', String(port), '--without-connection-token', ...driver, '--disable-telemetry', ...(asksForTrust ? [] : ['--disable-workspace-trust'])],
    // As started from a terminal, or it would take the PATH of a login shell.
    { stdio: ['ignore', log, log], env: { ...process.env, VSCODE_CLI: '1', PACKHOUND_CACHE_DIR: path.join(home, 'cache'), PACKHOUND_DATA_DIR: path.join(home, 'data') } },
  );
  let context;
  const close = async () => {
    await context?.close();
    server.kill();
    if (server.exitCode === null && server.signalCode === null) {
      await new Promise((done) => server.once('exit', done));
    }
    closeSync(log);
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  try {
    const address = `http://127.0.0.1:${port}`;
    await answers(address);
    const { chromium } = createRequire(path.join(host, 'package.json'))('playwright-core');
    context = await chromium.launchPersistentContext(path.join(home, 'chromium'), {
      executablePath: chromiumPath(),
      headless: true,
      viewport: { width: width / zoom, height: height / zoom },
      deviceScaleFactor: zoom,
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    });
    const page = await context.newPage();
    if (prepare) {
      await page.addInitScript(prepare);
    }
    const full = payload.map(([key, value]) => [key, value.startsWith('/') ? `vscode-remote://127.0.0.1:${port}${value}` : value]);
    const query = new URLSearchParams({ [workspace.endsWith('.code-workspace') ? 'workspace' : 'folder']: workspace });
    if (full.length > 0) {
      query.set('payload', JSON.stringify(full));
    }
    await page.goto(`${address}/?${query}`, { waitUntil: 'domcontentloaded' });
    const change = (changed) => writeFileSync(settingsFile, JSON.stringify({ ...settings, ...changed }));
    const run = (...words) => {
      const [program, ...first] = settings['packhound.server.path'];
      const env = { ...process.env, PACKHOUND_CACHE_DIR: path.join(home, 'cache'), PACKHOUND_DATA_DIR: path.join(home, 'data') };
      const done = spawnSync(program, [...first, ...words], { cwd: workspace, env, encoding: 'utf8' });
      if (done.status !== 0) {
        throw new Error(done.stderr);
      }
      return done.stdout;
    };
    return { page, close, change, run, logs: () => readFileSync(logFile, 'utf8').slice(-3000) + extensionLogs(home) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What the extension has logged, where VS Code could write log files. */
function extensionLogs(home) {
  const files = readdirSync(home, { recursive: true }).filter((name) => /Packhound\.log$/.test(name));
  return files.map((name) => `\n${name}:\n${readFileSync(path.join(home, name), 'utf8').slice(-3000)}`).join('');
}

export function chromiumPath() {
  const found = ['chromium', 'chromium-browser']
    .flatMap((name) => (process.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, name)))
    .find(existsSync);
  if (!found) {
    throw new Error('chromium is not on the PATH; run tests/editors/setup.sh vscode');
  }
  return found;
}

function freePort() {
  return new Promise((done) => {
    const probe = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });
}

async function answers(address) {
  const end = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      await fetch(address);
      return;
    } catch (error) {
      if (Date.now() > end) {
        throw error;
      }
      await new Promise((done) => setTimeout(done, 200));
    }
  }
}
