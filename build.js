// Bundles agent/main.ts and every library, since a node has no node_modules: into one file with what every start needs, and
// chunks beside it, in FILE-chunks/, with what is imported late, when a command or a setting asks for it.
// --out FILE, --meta FILE (what went in, for the list of licences) and --version V are for packages.
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

/** Whoever runs a bundle while the next one is built may still ask for its chunks. */
const KEPT_MS = 3_600_000;

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'dist/nodeqos.mjs' },
    meta: { type: 'string' },
    version: { type: 'string' },
  },
});
const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));
const entry = resolve(values.out);
const name = basename(entry, '.mjs');

const { metafile, outputFiles } = await build({
  entryPoints: { [name]: 'agent/main.ts' },
  outdir: dirname(entry),
  outExtension: { '.js': '.mjs' },
  // By their content, so that no chunk of another build is ever taken for one of this build.
  chunkNames: `${name}-chunks/[name]-[hash]`,
  splitting: true,
  write: false,
  metafile: true,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  minifySyntax: true,
  legalComments: 'none',
  logLevel: 'warning',
  // Native code cannot be bundled; without it the agent says what it lacks and goes on.
  // A library asks for supports-color if it is there, and here it is for tools alone: what those bring is no part of the program.
  external: ['koffi', 'supports-color'],
  define: { NODEQOS_VERSION: JSON.stringify(values.version ?? version), __dirname: 'nodeqosDirname' },
  // CommonJS libraries inside an ES module still ask for require and __dirname.
  banner: {
    js: [
      "import { createRequire as nodeqosCreateRequire } from 'node:module';",
      'const require = nodeqosCreateRequire(import.meta.url);',
      'const nodeqosDirname = import.meta.dirname;',
    ].join('\n'),
  },
});

const chunkFolder = join(dirname(entry), `${name}-chunks`);
const readable = readableNames();
mkdirSync(chunkFolder, { recursive: true });
const files = outputFiles.map(({ path, text }) => ({ path: readable(path), text: readable(text) }));
// The entry last: it is never there without its chunks, and nobody ever finds half a file.
for (const { path, text } of files.toSorted((a, b) => Number(a.path === entry) - Number(b.path === entry))) {
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, path === entry ? `#!/usr/bin/env node\n${text}` : text);
  chmodSync(unfinished, path === entry ? 0o755 : 0o644);
  renameSync(unfinished, path);
}
removeOlder(new Set(files.map(({ path }) => path)));
if (values.meta !== undefined) writeFileSync(values.meta, JSON.stringify(metafile));

/** Puts the name of a library in place of that of its first file, which is `index.js` of `lib` or `dist` in most. */
function readableNames() {
  const renamed = Object.entries(metafile.outputs).flatMap(([path, { entryPoint = '' }]) => {
    const [, library] = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(entryPoint) ?? [];
    const [, hash] = /-([0-9A-Z]{8})\.mjs$/.exec(path) ?? [];
    if (library === undefined || hash === undefined) return [];
    return [[basename(path), `${library.replace('@', '').replace('/', '-')}-${hash}.mjs`]];
  });
  return (text) => renamed.reduce((changed, [from, to]) => changed.replaceAll(from, to), text);
}

/** Chunks of earlier builds go. */
function removeOlder(built) {
  for (const path of readdirSync(chunkFolder).map((file) => join(chunkFolder, file))) {
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (!built.has(path) && Date.now() - mtimeMs > KEPT_MS) rmSync(path, { force: true });
  }
}
