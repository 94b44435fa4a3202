// Builds a Debian package: `npm run package -- --help`. The builder is in TypeScript, so it is bundled first.
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { build } from 'esbuild';

// Of its own, since packages can be built beside each other.
const outfile = resolve(`dist/package/build-package-${process.pid}.mjs`);
await build({
  entryPoints: ['systemd/deb/main.ts'],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  packages: 'external',
  logLevel: 'warning',
});
const { main } = await import(outfile).finally(() => rmSync(outfile));
process.exitCode = await main(process.argv.slice(2));
