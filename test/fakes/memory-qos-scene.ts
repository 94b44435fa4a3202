import type { AgentEvent } from '../../agent/model/agent-event.ts';
import type { Pod } from '../../agent/model/pod.ts';
import { Announcer } from '../../agent/run/announcer.ts';
import { MemoryQosLoop, type MemoryQosRules, type WritableLimits } from '../../agent/run/memory-qos-loop.ts';
import type { FileTree } from '../../cgroup/file-tree.ts';
import { emptyJournal } from '../../cgroup/journal.ts';
import type { MemoryFile } from '../../cgroup/memory-files.ts';
import type { DesiredValue } from '../../cgroup/qos-pod.ts';
import { FakeClock } from './fake-clock.ts';
import { FakeJournal, FakeLimitFiles } from './limit-files.ts';
import { podOf } from './pods.ts';

export const PODS: readonly Pod[] = [podOf({ name: 'web' })];

/** What FakeLimitFiles hold, as the loop reads it. */
function treeOver(files: FakeLimitFiles, inodes: ReadonlyMap<string, bigint>): FileTree {
  return {
    readFile: (path) => {
      const text = files.contents()[path];
      return text === undefined ? { kind: 'missing' } : { kind: 'read', text };
    },
    readDirectory: () => ({ kind: 'missing' }),
    inodeOf: (cgroup) => inodes.get(cgroup),
    nameOf: (path) => `/mount/${path}`,
  };
}

/** A value that is wanted; the last argument is whose it is: namespace, pod, container. */
export function want(
  cgroup: string | null,
  file: MemoryFile,
  desired: bigint | 'max',
  [namespace, pod, container]: readonly [string | null, string | null, string | null] = [null, null, null],
): DesiredValue {
  return {
    level: 'node',
    namespace,
    pod,
    uid: null,
    container,
    qosClass: null,
    cgroup,
    file,
    desired,
    reason: `${file} of ${cgroup ?? 'nobody'}`,
  };
}

/** Memory QoS on a tree that is held in memory, and what is told of it. */
export class MemoryQosScene {
  readonly files = new FakeLimitFiles();
  readonly journal = new FakeJournal(emptyJournal('boot'), this.files.calls);
  readonly events: AgentEvent[] = [];
  readonly inodes = new Map<string, bigint>();
  limits: WritableLimits | undefined = { files: this.files, journal: this.journal };
  wanted: readonly DesiredValue[] = [];
  unlisted: string | undefined;
  notLowered: ReadonlySet<string> = new Set();
  asked = 0;
  rules: MemoryQosRules = {
    mode: 'enforce',
    maxWritesPerTick: 64,
    isStable: true,
    desired: () => {
      this.asked += 1;
      return { values: this.wanted, unlisted: this.unlisted, notLowered: this.notLowered };
    },
    likelyWriter: () => 'somebody',
  };
  readonly announcer = new Announcer(
    [
      {
        name: 'test',
        event: ({ event }) => {
          this.events.push(event);
        },
      },
    ],
    new FakeClock(),
    'enforce',
  );
  readonly loop = new MemoryQosLoop(
    { tree: treeOver(this.files, this.inodes), limits: () => this.limits, announcer: this.announcer },
    this.rules,
  );

  with(cgroup: string, inode: bigint, texts: Readonly<Record<string, string>>): this {
    this.files.with(cgroup, inode, texts);
    this.inodes.set(cgroup, inode);
    return this;
  }

  use(change: Partial<MemoryQosRules>): void {
    this.rules = { ...this.rules, ...change };
    this.loop.use(this.rules);
  }

  /** One turn and the end of all that it began, with what is told of it. */
  async turn(atMs: number, pods: readonly Pod[] = PODS): Promise<readonly AgentEvent[]> {
    this.events.length = 0;
    await this.loop.turn(pods, atMs);
    await this.loop.idle(atMs);
    return [...this.events];
  }
}

/** The limits of a cgroup as it is made. */
export const UNTOUCHED = { 'memory.min': '0\n', 'memory.low': '0\n', 'memory.high': 'max\n' };
