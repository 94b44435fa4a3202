import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Io } from '../../agent/cli/console/io.ts';
import { loadInputs, type NodeInputs } from '../../agent/cli/inputs/inputs.ts';
import type { InputArguments } from '../../agent/cli/inputs/node-setup.ts';
import { planOfNode } from '../../agent/cli/memory-qos/plan-of-node.ts';
import { diskTree } from '../../cgroup/disk/disk-tree.ts';
import type { FileTree } from '../../cgroup/file-tree.ts';
import { type CgroupSnapshot, readCgroupSnapshot } from '../../cgroup/snapshot.ts';
import { type BenchNode, benchNode } from './fake-node.ts';
import { medians, ratioLine } from './measure.ts';

const SILENT: Io = {
  out: () => undefined,
  err: () => undefined,
  warn: () => undefined,
  isTerminal: false,
  columns: 100,
  env: {},
  signal: new AbortController().signal,
};

async function inputsOf(node: BenchNode): Promise<NodeInputs> {
  const args: InputArguments = { root: node.root, pods: node.pods, cgroupDriver: 'auto', offline: false };
  return loadInputs(args, SILENT, { pods: 'required', cgroups: 'required' });
}

/** What a full read asks of the system: the files that it opens, the folders that it lists, and the ones it looks at. */
interface Calls {
  readonly opened: string[];
  readonly listed: string[];
  readonly looked: string[];
}

function callsOf(mount: string, read: (tree: FileTree) => unknown): Calls {
  const tree = diskTree(mount);
  const calls: Calls = { opened: [], listed: [], looked: [] };
  read({
    ...tree,
    readFile: (path) => {
      const answer = tree.readFile(path);
      if (answer.kind === 'read') calls.opened.push(`${mount}/${path}`);
      return answer;
    },
    readDirectory: (path) => {
      calls.listed.push(`${mount}/${path}`);
      return tree.readDirectory(path);
    },
    isLeaf: (path) => {
      calls.looked.push(`${mount}/${path}`);
      return tree.isLeaf?.(path) ?? false;
    },
  });
  return calls;
}

function openReadClose(files: readonly string[], buffer: Buffer): void {
  for (const file of files) {
    const descriptor = openSync(file, 'r');
    readSync(descriptor, buffer, 0, buffer.length, null);
    closeSync(descriptor);
  }
}

function listAndLook({ listed, looked }: Calls): void {
  for (const folder of listed) readdirSync(folder, { withFileTypes: true });
  for (const folder of looked) statSync(folder);
}

/** Peak memory of a whole `plan -o json` process, as the system accounts it, in MB. */
function planPeakMb(node: BenchNode): number {
  const report = 'process.on("exit",()=>process.stderr.write("PEAK "+process.resourceUsage().maxRSS))';
  const run = spawnSync(
    process.execPath,
    [
      '--import',
      `data:text/javascript,${encodeURIComponent(report)}`,
      'dist/nodeqos.mjs',
      'plan',
      '--root',
      node.root,
      '--pods',
      node.pods,
      '-o',
      'json',
    ],
    { encoding: 'utf8', maxBuffer: 1 << 30 },
  );
  const peak = /PEAK (\d+)/.exec(run.stderr)?.[1];
  if (run.status !== 0 || peak === undefined) throw new Error(run.stderr);
  return (Number(peak) * 1024) / 1e6;
}

const small = benchNode(500);
const large = benchNode(5000);
try {
  const inputs = await inputsOf(small);
  const mount = `${small.root}/sys/fs/cgroup`;
  const fullRead = (tree: FileTree): CgroupSnapshot =>
    readCgroupSnapshot(tree, { layout: inputs.layout, reserved: [], workingSets: true });
  const calls = callsOf(mount, fullRead);
  const tree = diskTree(mount);
  const buffer = Buffer.allocUnsafe(64 * 1024);
  const times = medians(31, {
    files: () => {
      openReadClose(calls.opened, buffer);
    },
    bare: () => {
      openReadClose(calls.opened, buffer);
      listAndLook(calls);
    },
    read: () => void fullRead(tree),
    plan: () => void planOfNode(inputs),
  });
  const took = (name: string): number => times[name] ?? Number.NaN;
  const what = `${calls.opened.length} files opened, ${calls.listed.length} folders listed, ${calls.looked.length} looked at`;
  console.log(`  500 pods of 3 containers: ${what}; bare loop ${took('bare').toFixed(1)} ms`);
  console.log(ratioLine('full read / bare loop of the same calls', took('read') / took('bare'), 1.3));
  console.log(
    ratioLine('read and plan with reasons / bare loop of the same calls', took('plan') / took('bare'), 2),
  );
  console.log(
    `  (against opening, reading and closing alone: ${(took('read') / took('files')).toFixed(2)} and ${(took('plan') / took('files')).toFixed(2)})`,
  );

  const largeInputs = await inputsOf(large);
  const growth = medians(5, {
    small: () => void planOfNode(inputs),
    large: () => void planOfNode(largeInputs),
  });
  console.log(
    ratioLine(
      '5,000 pods / 500 pods, read and plan',
      (growth['large'] ?? Number.NaN) / (growth['small'] ?? Number.NaN),
      12,
    ),
  );
  console.log(ratioLine('peak memory of plan for 500 pods, MB', planPeakMb(small), 120));
} finally {
  for (const node of [small, large]) rmSync(dirname(node.root), { recursive: true, force: true });
}
