// Bundles agent/main.ts and every library into one file that runs alone: a node has no node_modules.
// --out FILE, --meta FILE (what went in, for the list of licences) and --version V are for packages.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'dist/nodeqos.mjs' },
    meta: { type: 'string' },
    version: { type: 'string' },
  },
});
const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

const { metafile } = await build({
  entryPoints: ['agent/main.ts'],
  outfile: values.out,
  metafile: true,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  minifySyntax: true,
  legalComments: 'none',
  logLevel: 'warning',
  // Native code cannot be bundled; without it the agent says what it lacks and goes on.
  external: ['koffi'],
  define: { NODEQOS_VERSION: JSON.stringify(values.version ?? version), __dirname: 'nodeqosDirname' },
  // CommonJS libraries inside an ES module still ask for require and __dirname.
  banner: {
    js: [
      '#!/usr/bin/env node',
      "import { createRequire as nodeqosCreateRequire } from 'node:module';",
      'const require = nodeqosCreateRequire(import.meta.url);',
      'const nodeqosDirname = import.meta.dirname;',
    ].join('\n'),
  },
});
chmodSync(values.out, 0o755);
if (values.meta !== undefined) writeFileSync(values.meta, JSON.stringify(metafile));
