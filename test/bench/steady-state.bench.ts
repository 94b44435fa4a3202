import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchNode, benchNode } from './fake-node.ts';
import { ratioLine } from './measure.ts';

const PODS = 110;
const CONTAINERS = 2;
/** How long the agent is watched once it has written what there was to write. */
const SECONDS = Number(process.env['NODEQOS_BENCH_SECONDS'] ?? 60);
/** Start-up, compilation and the first writes are over by then. */
const SETTLING_MS = 5000;
/** USER_HZ is 100 on every architecture that Node.js runs on (proc_pid_stat(5)). */
const TICKS_PER_SECOND = 100;
/** Fields of /proc/PID/stat after the name in parentheses, counted from the state. */
const UTIME = 11;
const STIME = 12;

interface Figures {
  readonly cpuSeconds: number;
  readonly descriptors: number;
  readonly peakMb: number;
}

function figuresOf(pid: number): Figures {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const peakKb = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  return {
    cpuSeconds: (Number(fields[UTIME]) + Number(fields[STIME])) / TICKS_PER_SECOND,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    peakMb: (Number(peakKb) * 1024) / 1e6,
  };
}

/** More of Node's options, such as --cpu-prof to see where the time goes. */
const NODE_OPTIONS = (process.env['NODEQOS_BENCH_NODE_OPTIONS'] ?? '')
  .split(' ')
  .filter((word) => word !== '');

function startAgent({ root, pods }: BenchNode): ChildProcess {
  const options = ['--enforce', '--interval', '1s', '--listen', `unix:${join(root, 'agent.sock')}`];
  const args = ['dist/nodeqos.mjs', 'run', '--root', root, '--pods', pods, ...options];
  return spawn(process.execPath, [...NODE_OPTIONS, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
}

const node = benchNode(PODS, CONTAINERS);
try {
  const agent = startAgent(node);
  const ended = once(agent, 'exit');
  const { pid } = agent;
  if (pid === undefined) throw new Error('run did not start');
  await sleep(SETTLING_MS);
  const before = figuresOf(pid);
  const startedMs = performance.now();
  await sleep(SECONDS * 1000);
  const after = figuresOf(pid);
  const seconds = (performance.now() - startedMs) / 1000;
  agent.kill('SIGTERM');
  await ended;
  const share = ((after.cpuSeconds - before.cpuSeconds) / seconds) * 100;
  const start = `${before.cpuSeconds.toFixed(2)} s of CPU until then`;
  console.log(`  ${PODS} pods of ${CONTAINERS} containers, interval 1 s, ${seconds.toFixed(0)} s; ${start}`);
  console.log(ratioLine('CPU of run, percent of one core', share, 2));
  console.log(ratioLine('peak memory of run (VmHWM), MB', after.peakMb, 110));
  console.log(
    ratioLine(
      `descriptors at the end (${before.descriptors} at the start)`,
      after.descriptors,
      before.descriptors,
    ),
  );
} finally {
  rmSync(dirname(node.root), { recursive: true, force: true });
}
