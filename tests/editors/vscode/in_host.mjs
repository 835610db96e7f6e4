// node in_host.mjs CONFIG.json: runs in_host_tests.cjs inside the extension host of a real VS Code.
// CONFIG: {clients, workspace, settings, extension (folder), report}. Passing is what the report
// says: the host exits with 0 even when its tests fail.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startWorkbench } from './workbench.mjs';

const config = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const tests = path.join(path.dirname(fileURLToPath(import.meta.url)), 'in_host_tests.cjs');
const PATIENCE_MS = 1_500_000;

rmSync(config.report, { force: true });
process.env.PACKHOUND_TEST_REPORT = config.report;
const { extension, ...rest } = config;
const vscode = await startWorkbench({
  ...rest,
  payload: [
    ['extensionDevelopmentPath', extension],
    ['extensionTestsPath', tests],
    ['skipWelcome', 'true'],
  ],
});
try {
  const end = Date.now() + PATIENCE_MS;
  while (!existsSync(config.report) && Date.now() < end) {
    await new Promise((done) => setTimeout(done, 200));
  }
  if (!existsSync(config.report)) {
    console.error(`no report after ${PATIENCE_MS / 1000} s`);
    process.exitCode = 1;
  }
  console.error(vscode.logs());
} finally {
  await vscode.close();
}
