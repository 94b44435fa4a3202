import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The program as build.js makes it. */
export interface BuiltBundle {
  /** The text of every file by its name: the entry, and the chunks in a folder beside it. */
  readonly files: ReadonlyMap<string, string>;
  /** esbuild's account of what went in. */
  readonly meta: string;
}

/** Builds the program of the sources with this version in it, in a folder of its own. */
export function builtBundle(version: string): BuiltBundle {
  const folder = mkdtempSync(join(tmpdir(), 'nodeqos-bundle-'));
  try {
    const out = join(folder, 'program');
    const meta = join(folder, 'meta.json');
    const options = ['--out', join(out, 'nodeqos.mjs'), '--meta', meta, '--version', version];
    execFileSync(process.execPath, ['build.js', ...options], { stdio: ['ignore', 'ignore', 'inherit'] });
    const names = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.mjs'),
    );
    const files = new Map(names.toSorted().map((name) => [name, readFileSync(join(out, name), 'utf8')]));
    return { files, meta: readFileSync(meta, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
