// Runs a builder of what is handed out: `node build-tool.js systemd/deb/main.ts [options]`. The builders are in TypeScript, so
// each is bundled first; its `main` takes the options and gives the exit status.
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { build } from 'esbuild';

const [entry, ...options] = process.argv.slice(2);
// Of its own, since things can be built beside each other.
const outfile = resolve(`dist/package/builder-${process.pid}.mjs`);
await build({
  entryPoints: [entry],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  packages: 'external',
  logLevel: 'warning',
});
const { main } = await import(outfile).finally(() => rmSync(outfile));
process.exitCode = await main(options);
