import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** What esbuild says of what it made, as far as these tests want it. */
interface Meta {
  readonly outputs: Readonly<Record<string, Output>>;
}
interface Output {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly imports: readonly { readonly path: string; readonly kind: string; readonly external?: boolean }[];
  readonly entryPoint?: string;
}

/** What only some commands and settings need, each large or slow to start. */
const LATE = ['@kubernetes/client-node', '@grpc/grpc-js', '@grpc/proto-loader', '@jellybrick/dbus-next'];
const LATE_TOO = ['prom-client', 'systeminformation'];

/**
 * All of @kubernetes/client-node are 14 MB, which a node would read and compile for the little that is used. Imported by name
 * in a module that is itself imported late, the rest of it stays out.
 */
const LARGEST_CHUNK_BYTES = 6_000_000;

describe('the bundle', () => {
  let folder = '';
  let meta: Meta = { outputs: {} };
  const build = (to: string): void => {
    const options = ['--out', join(folder, to, 'nodeqos.mjs'), '--meta', join(folder, `${to}.json`)];
    execFileSync(process.execPath, ['build.js', ...options]);
  };
  const filesOf = (to: string): ReadonlyMap<string, string> =>
    new Map(
      readdirSync(join(folder, to), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.mjs'))
        .map((name) => [name, readFileSync(join(folder, to, name), 'utf8')]),
    );

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'nodeqos-bundle-'));
    build('one');
    meta = JSON.parse(readFileSync(join(folder, 'one.json'), 'utf8')) as Meta;
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('reads at every start no library that only some commands need', () => {
    const entry = Object.entries(meta.outputs).find(([, { entryPoint }]) => entryPoint === 'agent/main.ts');
    const read = new Set([entry?.[0] ?? '']);
    for (const path of read)
      for (const one of meta.outputs[path]?.imports ?? [])
        if (one.kind === 'import-statement' && one.external !== true) read.add(one.path);
    const inputs = [...read].flatMap((path) => Object.keys(meta.outputs[path]?.inputs ?? {}));
    expect(inputs.length).toBeGreaterThan(300);
    for (const library of [...LATE, ...LATE_TOO])
      expect(inputs.filter((path) => path.includes(`node_modules/${library}/`))).toEqual([]);
  });

  it('holds no library that is here for tools alone, so that it is the same without those', () => {
    const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      readonly packages: Readonly<Record<string, { readonly dev?: boolean } | undefined>>;
    };
    const inputs = Object.values(meta.outputs).flatMap(({ inputs: its }) => Object.keys(its));
    const folders = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
    const libraries = [...new Set(folders)];
    expect(libraries.length).toBeGreaterThan(50);
    expect(libraries.filter((folder) => lock.packages[folder]?.dev !== undefined)).toEqual([]);
  });

  it('has no chunk that holds the whole of a large library', () => {
    for (const [name, text] of filesOf('one'))
      expect([name, text.length < LARGEST_CHUNK_BYTES]).toEqual([name, true]);
  });

  it('names a chunk after the library that it is, and no other file is executable', () => {
    const names = [...filesOf('one').keys()].map((name) => basename(name).replace(/-[0-9A-Z]{8}\.mjs$/, ''));
    expect(names).toEqual(expect.arrayContaining(['nodeqos.mjs', 'prom-client', 'systeminformation']));
    for (const name of filesOf('one').keys())
      expect([name, statSync(join(folder, 'one', name)).mode & 0o777]).toEqual([
        name,
        name === 'nodeqos.mjs' ? 0o755 : 0o644,
      ]);
  });

  it('is the same, byte for byte, built to another place', () => {
    build('two/deeper');
    expect(filesOf('two/deeper')).toEqual(filesOf('one'));
  });

  it('runs where nothing else is, and imports late from there', () => {
    const alone = mkdtempSync(join(tmpdir(), 'nodeqos-alone-'));
    try {
      cpSync(join(folder, 'one'), alone, { recursive: true });
      const run = spawnSync(join(alone, 'nodeqos.mjs'), ['--version'], { cwd: '/', encoding: 'utf8' });
      expect([run.status, run.stderr]).toEqual([0, '']);
      const names = readdirSync(join(alone, 'nodeqos-chunks'));
      const script = `for (const name of ${JSON.stringify(names)}) await import('./nodeqos-chunks/' + name)`;
      const options = ['--input-type=module', '-e', script];
      const late = spawnSync(process.execPath, options, { cwd: alone, encoding: 'utf8' });
      expect([late.status, late.stderr]).toEqual([0, '']);
    } finally {
      rmSync(alone, { recursive: true, force: true });
    }
  });

  it('leaves the chunks of the build before for whoever still runs it, and takes older ones away', () => {
    const chunks = join(folder, 'one', 'nodeqos-chunks');
    const before = readdirSync(chunks).sort();
    writeFileSync(join(chunks, 'recent-AAAAAAAA.mjs'), '');
    writeFileSync(join(chunks, 'older-AAAAAAAA.mjs'), '');
    execFileSync('touch', ['-d', '2 hours ago', join(chunks, 'older-AAAAAAAA.mjs')]);
    build('one');
    expect(readdirSync(chunks).sort()).toEqual([...before, 'recent-AAAAAAAA.mjs'].sort());
  });
});
