// Bundles the extension into dist/, or with --tests each unit test into dist-test/.
import { readdirSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

const tests = process.argv.includes('--tests');
const production = process.argv.includes('--production');
const outdir = tests ? 'dist-test' : 'dist';
rmSync(outdir, { recursive: true, force: true });

await build({
  entryPoints: tests
    ? readdirSync('test/unit')
        .filter((name) => name.endsWith('.test.ts'))
        .map((name) => `test/unit/${name}`)
    : ['src/extension.ts', 'src/uninstall.ts'],
  outdir,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  external: tests ? ['vscode', 'typescript'] : ['vscode'],
  minify: production,
  sourcemap: !production,
  logLevel: 'warning',
});
