import {
  chmodSync,
  copyFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll } from 'vitest';
import { nodeqos } from '../e2e/binary.ts';

const FIXTURES = resolve('test/fixtures/node');

/** The names of the fixture's cgroups that tests break. */
export const KUBEPODS = 'kubepods.slice';
export const BURSTABLE = `${KUBEPODS}/kubepods-burstable.slice`;
export const ORDERS_POD = `${BURSTABLE}/kubepods-burstable-pod5f0c1a10_0000_4000_8000_000000000002.slice`;
export const RECIPES_POD = `${BURSTABLE}/kubepods-burstable-pod5f0c1a10_0000_4000_8000_000000000003.slice`;

/** A worker node that the shipped `fake-tree` built from test/fixtures/node, in a folder of its own. */
export class FixtureNode {
  readonly root = mkdtempSync(join(tmpdir(), 'nodeqos-fixture-'));
  readonly mount = join(this.root, 'sys/fs/cgroup');
  readonly state = join(this.root, 'var/lib/nodeqos');

  constructor(...fakeTreeOptions: readonly string[]) {
    chmodSync(this.root, 0o755);
    if (fakeTreeOptions.length === 0) cpSync(builtOnce(), this.root, { recursive: true });
    else build(this.root, fakeTreeOptions);
    this.copy('nodeqos.yaml', 'etc/nodeqos/nodeqos.yaml');
    this.copy('node.yaml', 'node.yaml');
  }

  /** Copies a file of the fixture into the node. */
  copy(from: string, to: string): void {
    mkdirSync(dirname(this.path(to)), { recursive: true });
    copyFileSync(join(FIXTURES, from), this.path(to));
  }

  path(name: string): string {
    return join(this.root, name);
  }

  /** Writes below the root. */
  write(name: string, text: string | Buffer): string {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
    return this.path(name);
  }

  /** Writes below the cgroup mount. */
  writeCgroup(name: string, text: string): void {
    this.write(`sys/fs/cgroup/${name}`, text);
  }

  /** The cgroup of a pod's one container that has this name in the pods' list. */
  containerCgroups(pod: string): readonly string[] {
    return readdirSync(join(this.mount, pod), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => `${pod}/${entry.name}`)
      .toSorted();
  }

  /** Every file below the cgroup mount and what it reads. */
  cgroups(): Record<string, string> {
    const texts = [...below(this.mount)].filter(([, stats]) => stats.isFile());
    return Object.fromEntries(texts.map(([path]) => [path, readFileSync(join(this.mount, path), 'latin1')]));
  }

  /** Everything below the root as one can tell that it was touched: path, inode, size, mode, times, and texts. */
  traces(): Record<string, string> {
    return Object.fromEntries(
      [...below(this.root)].map(([path, { ino, size, mode, mtimeNs, ctimeNs }]) => [
        path,
        `${ino} ${size} ${mode} ${mtimeNs} ${ctimeNs}`,
      ]),
    );
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** To build a node takes a process; most tests want the same one, which is built once and copied. */
const templates: string[] = [];

afterAll(() => {
  for (const folder of templates.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function builtOnce(): string {
  const known = templates[0];
  if (known !== undefined) return known;
  const folder = mkdtempSync(join(tmpdir(), 'nodeqos-template-'));
  build(folder, []);
  templates.push(folder);
  return folder;
}

function build(folder: string, options: readonly string[]): void {
  const files = ['--pods', 'pods.yaml', '--usage', 'usage.yaml', '--kubelet-config', 'kubelet.yaml'];
  const built = nodeqos(['fake-tree', '--dir', folder, ...files, ...CAPACITY, ...options], {
    cwd: FIXTURES,
  });
  if (built.status !== 0) throw new Error(`fake-tree: ${built.stderr}`);
}

const CAPACITY = ['--memory-capacity', '2Gi'];

function* below(folder: string, prefix = ''): Iterable<readonly [string, ReturnType<typeof statBig>]> {
  for (const name of readdirSync(join(folder, prefix)).toSorted()) {
    const path = prefix === '' ? name : `${prefix}/${name}`;
    const stats = statBig(join(folder, path));
    yield [path, stats];
    if (stats.isDirectory()) yield* below(folder, path);
  }
}

function statBig(path: string) {
  return lstatSync(path, { bigint: true });
}
