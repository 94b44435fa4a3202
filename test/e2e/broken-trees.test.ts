import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { BURSTABLE, FixtureNode, KUBEPODS, ORDERS_POD, RECIPES_POD } from '../fakes/fixture-node.ts';
import { type BinaryRun, nodeqos } from './binary.ts';

const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
const canMount = isRoot && spawnSync('unshare', ['-m', 'true']).status === 0;
if (!canMount) console.warn('skipped in part: other users need root, read-only trees need unshare -m');

let node: FixtureNode;
afterEach(() => {
  node.remove();
});

interface Tree {
  /** What is done to a good node. */
  readonly breaks: () => void;
  readonly options?: readonly string[];
  /** By command, texts that each must be on stderr in exactly one line. */
  readonly faults?: Readonly<
    Partial<Record<'plan' | 'rank' | 'status' | 'explain' | 'neutral', readonly string[]>>
  >;
}

const limits = (cgroup: string): void => {
  for (const [file, text] of Object.entries({
    min: '0',
    low: '0',
    high: 'max',
    max: 'max',
    current: '4096',
  })) {
    node.writeCgroup(`${cgroup}/memory.${file}`, `${text}\n`);
  }
};
const withoutInactiveFile = (cgroup: string): void => {
  const path = join(node.mount, cgroup, 'memory.stat');
  node.writeCgroup(
    join(cgroup, 'memory.stat'),
    readFileSync(path, 'utf8').replace(/^inactive_file.*\n/m, ''),
  );
};

const TREES: Readonly<Record<string, Tree>> = {
  'files of 0 bytes': {
    breaks: () => {
      for (const path of [`${ORDERS_POD}/memory.min`, `${RECIPES_POD}/memory.current`, 'memory.stat']) {
        node.writeCgroup(path, '');
      }
    },
    faults: {
      plan: [`${ORDERS_POD}/memory.min is empty`, `${RECIPES_POD}/memory.current is empty`],
      rank: [`${RECIPES_POD}/memory.current holds no number`],
      explain: [`${RECIPES_POD}/memory.current`],
      status: ['cgroup/memory.stat has no anon, file, inactive_file'],
    },
  },
  'a memory.stat without inactive_file': {
    breaks: () => {
      ['', KUBEPODS, ORDERS_POD].forEach(withoutInactiveFile);
    },
    faults: {
      rank: [`${ORDERS_POD}/memory.stat has no inactive_file`],
      status: ['cgroup/memory.stat has no inactive_file', `${KUBEPODS}/memory.stat has no inactive_file`],
    },
  },
  'max everywhere': {
    breaks: () => {
      for (const path of Object.keys(node.cgroups())) {
        if (/memory\.(min|low|high|max)$/.test(path)) node.writeCgroup(path, 'max\n');
      }
    },
  },
  'sandbox scopes and slices of others, inside kubepods and beside it': {
    breaks: () => {
      limits(`${ORDERS_POD}/cri-containerd-${'5'.repeat(64)}.scope`);
      limits(`${KUBEPODS}/other.slice`);
      limits(`${BURSTABLE}/kubepods-burstable-mine.slice/deeper.scope`);
      limits('machine.slice');
      limits('user.slice/user-1000.slice');
    },
  },
  'no kubepods': {
    breaks: () => {
      rmSync(join(node.mount, KUBEPODS), { recursive: true });
    },
    faults: {
      plan: [`there is no cgroup ${KUBEPODS}:`, `its cgroup ${ORDERS_POD} is not in the tree`],
      rank: [`bakery/recipes-0 has no cgroup ${RECIPES_POD}`],
      explain: [RECIPES_POD],
      status: [`${KUBEPODS} is not there: allocatableMemory.available is not observed`],
      neutral: [`there is no cgroup`],
    },
  },
  'a pod whose cgroup is gone': {
    breaks: () => {
      rmSync(join(node.mount, ORDERS_POD), { recursive: true });
    },
    faults: {
      plan: [`its cgroup ${ORDERS_POD} is not in the tree`],
      rank: [`has no cgroup ${ORDERS_POD}`],
    },
  },
  'a container whose files are gone': {
    breaks: () => {
      const [container = ''] = node.containerCgroups(ORDERS_POD);
      for (const name of readdirSync(join(node.mount, container))) {
        rmSync(join(node.mount, container, name));
      }
    },
  },
  'a folder in the place of a file': {
    breaks: () => {
      rmSync(join(node.mount, ORDERS_POD, 'memory.min'));
      mkdirSync(join(node.mount, ORDERS_POD, 'memory.min'));
    },
    faults: { plan: [`${ORDERS_POD}/memory.min cannot be read: it is a folder`] },
  },
  'an old kernel': {
    breaks: () => undefined,
    options: ['--kernel', '5.4.0-150-generic'],
    faults: { plan: ['kernel 5.4.0-150-generic is older than 5.9'] },
  },
};

function pods(): readonly string[] {
  return ['--root', node.root, '--pods', node.path('pods.json'), '-o', 'json'];
}

function expectNoTrace(run: BinaryRun): void {
  expect(run.stderr).not.toMatch(/^\s+at /m);
  expect(run.stderr).not.toContain('internal error');
}

/** The document of a command that went well, though each of these faults was there and was named once. */
function answer(run: BinaryRun, faults: readonly string[] = [], status = 0): Record<string, unknown[]> {
  expectNoTrace(run);
  expect(run.status, run.stderr).toBe(status);
  const lines = run.stderr.split('\n');
  for (const fault of faults) {
    expect([fault, lines.filter((line) => line.includes(fault)).length]).toEqual([fault, 1]);
  }
  return JSON.parse(run.stdout) as Record<string, unknown[]>;
}

/** The files that differ, as cgroup/file. */
function changed(before: Record<string, string>, after: Record<string, string>): readonly string[] {
  return Object.keys(after).filter((path) => after[path] !== before[path]);
}

function journalled(): readonly string[] {
  const path = join(node.state, 'journal.jsonl');
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line) as { cgroup: string; file: string })
    .map(({ cgroup, file }) => `${cgroup}/${file}`);
}

describe.each(Object.entries(TREES))('a tree with %s', (name, { breaks, options = [], faults = {} }) => {
  it('is answered for by everything that only looks, and stays as it is', () => {
    node = new FixtureNode(...options);
    breaks();
    const traces = node.traces();
    expect(answer(nodeqos(['plan', ...pods()]), faults.plan)['entries']).toHaveLength(40);
    expect(answer(nodeqos(['apply', '--dry-run', ...pods()]), faults.plan)['entries']).toHaveLength(40);
    expect(answer(nodeqos(['rank', ...pods()]), faults.rank)['order']).toHaveLength(5);
    expect(answer(nodeqos(['status', ...pods()]), faults.status)['thresholds']).not.toHaveLength(0);
    expect(
      answer(nodeqos(['explain', 'bakery/recipes-0', ...pods()]), faults.explain)['cgroups'],
    ).toHaveLength(9);
    for (const form of ['table', 'diff', 'sh', 'yaml']) {
      const run = nodeqos(['plan', ...pods().slice(0, 4), '-o', form]);
      expectNoTrace(run);
      expect(run.status).toBe(0);
    }
    for (const more of [[], ['--neutral']]) {
      answer(nodeqos(['reset', '--dry-run', '--root', node.root, '-o', 'json', ...more]));
    }
    expect(node.traces()).toEqual(traces);
  });

  it('is written to as far as it goes, never what is not journalled, and put back', () => {
    node = new FixtureNode(...options);
    breaks();
    const before = node.cgroups();
    const result = answer(nodeqos(['apply', ...pods()]), faults.plan, statusOf(name));
    expect(result['entries']).not.toHaveLength(0);
    const applied = node.cgroups();
    const written = changed(before, applied);
    expect(written.length).toBeGreaterThan(0);
    expect(written.filter((path) => !journalled().includes(path))).toEqual([]);
    expect(written.every((path) => /memory\.(min|low|high)$/.test(path))).toBe(true);
    answer(nodeqos(['reset', '--root', node.root, '-o', 'json']));
    expect(node.cgroups()).toEqual(before);
    answer(
      nodeqos(['reset', '--neutral', '--root', node.root, '-o', 'json']),
      faults.neutral,
      statusOf(name),
    );
    expect(changed(before, node.cgroups()).every((path) => path.startsWith(KUBEPODS))).toBe(true);
  });
});

/** A folder where a file should be cannot be written: the one write that fails. */
function statusOf(name: string): number {
  return name.startsWith('a folder in') ? 74 : 0;
}

describe('a node that is none of cgroup v2', () => {
  it.each(['plan', 'apply', 'rank', 'status'])('hybrid: %s ends with 69 and one sentence', (command) => {
    node = new FixtureNode();
    rmSync(join(node.mount, 'cgroup.controllers'));
    node.writeCgroup('unified/cgroup.controllers', 'cpu\n');
    node.write(
      'proc/mounts',
      'cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\ncgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\n',
    );
    const traces = node.traces();
    for (const args of [
      [command, ...pods()],
      ['reset', '--root', node.root],
    ]) {
      const { status, stdout, stderr } = nodeqos(args);
      expect([status, stdout]).toEqual([69, '']);
      const sentences = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('warning: '));
      expect(sentences).toEqual([
        expect.stringMatching(/^nodeqos: this node is a cgroup v1 or hybrid host: /),
      ]);
    }
    expect(node.traces()).toEqual(traces);
  });
});

describe.skipIf(!isRoot)('files that an unprivileged user may not read (needs root to become one)', () => {
  it('are named once each, and all else is answered', () => {
    node = new FixtureNode();
    const secret = [`${ORDERS_POD}/memory.min`, `${RECIPES_POD}/memory.current`];
    for (const path of secret) chmodSync(join(node.mount, path), 0);
    const traces = node.traces();
    const faults = secret.map((path) => `${path} cannot be read: permission denied`);
    const as = (...args: readonly string[]): BinaryRun => nodeqos([...args, ...pods()], { uid: NOBODY });
    expect(answer(as('plan'), faults)['entries']).toHaveLength(40);
    expect(answer(as('rank'), [secret[1] ?? ''])['order']).toHaveLength(5);
    answer(as('status'));
    answer(as('explain', 'bakery/recipes-0'), [secret[1] ?? '']);
    expect(as('apply').status).toBe(77);
    expect(node.traces()).toEqual(traces);
  });
});

describe.skipIf(!canMount)('a node that is read-only (needs unshare -m)', () => {
  it('is looked at as ever', () => {
    node = new FixtureNode();
    const script = 'mount --bind "$0" "$0"; mount -o remount,ro,bind "$0"; exec "$@"';
    for (const args of [
      ['plan', ...pods()],
      ['rank', ...pods()],
      ['status', ...pods()],
      ['explain', 'bakery/recipes-0', ...pods()],
      ['reset', '--dry-run', '--root', node.root, '-o', 'json'],
    ]) {
      const command = ['-m', 'sh', '-ec', script, node.root, process.execPath, 'dist/nodeqos.mjs', ...args];
      const { status, stdout } = spawnSync('unshare', command, { encoding: 'utf8' });
      expect([status, stdout]).toEqual([0, nodeqos(args).stdout]);
    }
  });
});
