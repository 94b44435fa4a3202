import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';

/** The Node lines that the bundle promises to run on. */
export const NODE_LINES = ['20.19', '22', '24'] as const;

/**
 * The path of a Node of this line: this process' own where it is of the line, else one that is fetched once as the npm
 * package of the `node` binary into node_modules/.cache. Undefined, with the reason, where it cannot be fetched.
 */
export function nodeRuntime(line: string): { readonly path: string } | { readonly missing: string } {
  if (`${process.versions.node}.`.startsWith(`${line}.`)) return { path: process.execPath };
  const folder = resolve('node_modules/.cache/nodeqos', `node-${line}`);
  const name = `node-${process.platform}-${process.arch}`;
  const path = `${folder}/node_modules/${name}/bin/node`;
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    const install = spawnSync(
      'npm',
      ['install', '--prefix', folder, '--no-save', '--no-progress', `${name}@${line}`],
      {
        encoding: 'utf8',
      },
    );
    if (install.status !== 0) return { missing: `npm could not fetch ${name}@${line}` };
  }
  return execFileSync(path, ['--version'], { encoding: 'utf8' }).startsWith(`v${line}.`)
    ? { path }
    : { missing: `${path} is not of line ${line}` };
}
