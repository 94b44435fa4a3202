// Builds each benchmark into one file, as the product is built, and runs it: `npm run bench [NAME...]`.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { build } from 'esbuild';

const wanted = process.argv.slice(2);
const names = readdirSync('test/bench')
  .filter((name) => name.endsWith('.bench.ts'))
  .map((name) => name.slice(0, -'.bench.ts'.length))
  .filter((name) => wanted.length === 0 || wanted.includes(name));

for (const name of names) {
  const outfile = `dist/bench/${name}.mjs`;
  await build({
    entryPoints: [`test/bench/${name}.bench.ts`],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    logLevel: 'warning',
    banner: {
      js: "import { createRequire as benchCreateRequire } from 'node:module'; const require = benchCreateRequire(import.meta.url);",
    },
  });
  console.log(`\n${name}`);
  const run = spawnSync(process.execPath, ['--expose-gc', outfile], { stdio: 'inherit' });
  if (run.status !== 0) process.exitCode = 1;
}
