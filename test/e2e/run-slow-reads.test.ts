import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { DatagramReceiver } from '../fakes/datagram-receiver.ts';
import { type AgentOnNode, FLOUR, onCalmNode } from './agent-on-node.ts';

/** What it uses when the node has less than 200 MiB left. */
const SHORT_MIB = 290;
const HARD_ONLY = 'eviction: {pressureTransitionPeriod: 0s, thresholds: {hard: {memory.available: 200Mi}}}';
/** How long each read takes. */
const SLOW_MS = 1200;

/** A debugger may be missing, or not be allowed to trace. */
const canSlowDown = spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0;
if (!canSlowDown) console.log('skipped: reads that take seconds; apt-get install strace to run them');

/** Holds every opening of a file of the node for a while, in the kernel, where nothing else of the agent goes on. */
function slowedDown(file: string): readonly string[] {
  const slow = ['-e', 'trace=openat', '-e', `inject=openat:delay_enter=${SLOW_MS * 1000}`];
  // -D: the agent is the child, and the one that is told to end.
  return ['strace', '-D', '-f', '-qq', '-o', '/dev/null', '-P', file, ...slow];
}

describe.skipIf(!canSlowDown)('run where reads take seconds', () => {
  it.concurrent.each([
    ['/proc', (on: AgentOnNode) => `${on.node.root}/proc/meminfo`],
    ['the cgroup tree', (on: AgentOnNode) => `${on.node.mount}/memory.stat`],
  ])(
    'gives one sign of life for each look and says how slow it is, and still evicts: %s',
    async (_, file) => {
      await onCalmNode(async (on) => {
        on.configure(HARD_ONLY);
        const socket = on.node.path('notify.sock');
        const manager = new DatagramReceiver(socket);
        const told: string[] = [];
        const listen = (): readonly string[] => {
          told.push(...manager.received());
          return told;
        };
        const signs = (): number => listen().filter((text) => text === 'WATCHDOG=1').length;
        const env = { NOTIFY_SOCKET: socket, WATCHDOG_USEC: '60000000' };
        const agent = on.start(['--enforce'], env, slowedDown(file(on)));
        await agent.until(() => signs() > 0, 'a first sign of life', 60_000);
        const [signsBefore, beginMs] = [signs(), performance.now()];
        await agent.until(() => signs() >= signsBefore + 2, 'signs of life go on', 60_000);
        // Each look opens the file once at least, so that more signs than this would be told by somebody who has not looked.
        const most = Math.floor((performance.now() - beginMs) / SLOW_MS) + 1;
        expect(signs() - signsBefore).toBeLessThanOrEqual(most);
        const slow = /^STATUS=enforce; no pressure; slow: the last look took \d+ s; /m;
        expect(listen().some((text) => slow.test(text))).toBe(true);
        on.kernel.use(FLOUR.leaf, SHORT_MIB);
        await agent.until(() => on.records('eviction').length > 0, 'an eviction', 60_000);
        expect(on.records('eviction')).toMatchObject([
          { outcome: 'gone', name: 'flour-report-28841760-kk8dp' },
        ]);
        const signsAtEviction = signs();
        await agent.until(() => signs() > signsAtEviction, 'a sign of life after it', 60_000);
        manager.close();
      })();
    },
    180_000,
  );
});
