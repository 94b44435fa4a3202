// Bundles agent/main.ts and every library into one file that runs alone: a node has no node_modules.
import { chmodSync, readFileSync } from 'node:fs';
import { build } from 'esbuild';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

await build({
  entryPoints: ['agent/main.ts'],
  outfile: 'dist/nodeqos.mjs',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  minifySyntax: true,
  legalComments: 'none',
  logLevel: 'warning',
  // Native code cannot be bundled; without it the agent says what it lacks and goes on.
  external: ['koffi'],
  define: { NODEQOS_VERSION: JSON.stringify(version), __dirname: 'nodeqosDirname' },
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
chmodSync('dist/nodeqos.mjs', 0o755);
