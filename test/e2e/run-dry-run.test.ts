import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningNodeqos } from '../fakes/running-nodeqos.ts';
import { AgentOnNode, ORDERS } from './agent-on-node.ts';

const mustBeThere = process.env['CI'] === 'true';
const hasStrace = spawnSync('strace', ['--version']).error === undefined;
if (!hasStrace && !mustBeThere) console.warn('skipped: what run opens (install strace to see it)');

/** Calls that open, make, remove or change files by name; what is done to a descriptor needs an open before. */
const CALLS =
  'openat,open,creat,openat2,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,rmdir,link,linkat,symlink,symlinkat,truncate,chmod,fchmodat,chown,lchown,fchownat,utimensat,setxattr,mount,kill,tkill,tgkill,pidfd_open,pidfd_send_signal';
/** How long it runs: more than twenty ticks at this interval. */
const LONG_MS = 2500;

let on: AgentOnNode;
let agent: RunningNodeqos;
let before: Record<string, string>;
let after: Record<string, string>;
const trace = (): string => on.node.path('var/strace.txt');

/** Everything of the node but what is the agent's own. */
function ofNode(traces: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(traces).filter(
      ([path]) => !/^(var$|var\/(lib|strace|lib\/nodeqos)|agent\.sock|$)/.test(path),
    ),
  );
}

beforeAll(async () => {
  on = new AgentOnNode();
  // Nobody but the agent may touch the tree from here on.
  on.kernel.stop();
  before = on.node.traces();
  // -D: the process that is started, and told to end, is nodeqos itself.
  const strace = ['strace', '-D', '-f', '-qq', '-s', '512', '-e', `trace=${CALLS}`, '-o', trace()];
  on.node.write('var/strace.txt', '');
  agent = on.start(['--dry-run'], {}, hasStrace ? strace : []);
  await on.recorded(agent, 'eviction');
  await new Promise((resolve) => setTimeout(resolve, LONG_MS));
  const ended = await agent.kill('SIGTERM');
  expect(ended, agent.stderr).toEqual({ code: 0, signal: null });
  after = on.node.traces();
}, 60_000);
afterAll(async () => {
  await on.remove();
});

describe('run --dry-run on a node that is short of memory', () => {
  it('says whom it would evict, once, and what it would write, once', () => {
    expect(on.records('eviction').map(({ outcome, name }) => [outcome, name])).toEqual([
      ['dry-run', 'flour-report-28841760-kk8dp'],
    ]);
    const wanted = on.records('write');
    expect(new Set(wanted.map(({ cgroup, file }) => `${String(cgroup)}/${String(file)}`)).size).toBe(18);
    expect(wanted.map(({ outcome }) => outcome)).toEqual(Array(18).fill('wanted'));
    expect(on.records().map(({ kind }) => kind)).toEqual([
      'start',
      'condition',
      'eviction',
      ...Array<string>(18).fill('write'),
      'plan-applied',
      'stop',
    ]);
  });

  it('changes not one file of the node: neither content nor inode, mode, size or times', () => {
    expect(Object.keys(ofNode(before)).length).toBeGreaterThan(500);
    expect(ofNode(after)).toEqual(ofNode(before));
    expect(readFileSync(join(on.node.mount, ORDERS.pod, 'cgroup.kill'), 'utf8')).toBe('');
  });

  it('keeps no journal and nothing pending', () => {
    expect(existsSync(join(on.node.state, 'journal.jsonl'))).toBe(false);
    expect(existsSync(join(on.node.state, 'pending.json'))).toBe(false);
    expect(existsSync(join(on.node.state, 'lock'))).toBe(false);
  });

  describe.skipIf(!hasStrace && !mustBeThere)('as strace sees it', () => {
    let calls: readonly string[];
    beforeAll(() => {
      calls = readFileSync(trace(), 'utf8').split('\n');
    });

    it('reads the cgroup tree and opens nothing there for writing', () => {
      const mount = calls.filter((line) => line.includes(on.node.mount));
      expect(mount.length).toBeGreaterThan(1000);
      expect(mount.filter((line) => !isReading(line))).toEqual([]);
    });

    it('changes nothing of the node by any other name', () => {
      const own = [on.node.state, on.socket, trace()];
      const changes = calls.filter(
        (line) =>
          line.includes(on.node.root) && !isReading(line) && own.every((path) => !line.includes(path)),
      );
      // The socket's folder is the node's.
      expect(changes).toEqual([]);
    });

    it('signals nobody', () => {
      // Threads of one process tell each other with tgkill.
      expect(calls.filter((line) => /\b(kill|tkill|pidfd_\w+)\(/.test(line))).toEqual([]);
    });
  });
});

function isReading(line: string): boolean {
  return /\b(openat|open|openat2)\(/.test(line) && !/O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(line);
}
