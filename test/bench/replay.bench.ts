import { spawnSync } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import { traceLines } from '../../agent/observe/trace/trace-file.ts';
import { ratioLine } from './measure.ts';
import { type BenchTrace, benchTrace } from './trace.ts';

const LINES = 86_400;
const PODS = 100;

/** Seconds that JSON.parse alone takes for all lines; reading them and taking them apart is not counted. */
async function parseSeconds(trace: string): Promise<number> {
  let nanoseconds = 0n;
  for await (const { lines } of traceLines(trace)) {
    const start = process.hrtime.bigint();
    for (const line of lines) JSON.parse(line);
    nanoseconds += process.hrtime.bigint() - start;
  }
  return Number(nanoseconds) / 1e9;
}

interface Replayed {
  readonly seconds: number;
  readonly peakMb: number;
  readonly lines: number;
}

/** A whole process of the shipped command, from its start to its end, and its peak as the system accounts it. */
function replay({ trace, kubelet }: BenchTrace, args: readonly string[]): Replayed {
  const report = 'process.on("exit",()=>process.stderr.write("PEAK "+process.resourceUsage().maxRSS))';
  const start = process.hrtime.bigint();
  const run = spawnSync(
    process.execPath,
    [
      '--import',
      `data:text/javascript,${encodeURIComponent(report)}`,
      'dist/nodeqos.mjs',
      'replay',
      trace,
      '--kubelet-config',
      kubelet,
      '-o',
      'jsonl',
      ...args,
    ],
    { encoding: 'utf8', maxBuffer: 1 << 30 },
  );
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  const peak = /PEAK (\d+)/.exec(run.stderr)?.[1];
  if (run.status !== 0 || peak === undefined) throw new Error(run.stderr);
  return { seconds, peakMb: (Number(peak) * 1024) / 1e6, lines: run.stdout.split('\n').length - 1 };
}

const bench = benchTrace(LINES, PODS);
try {
  const gb = statSync(bench.trace).size / 1e9;
  const parse = await parseSeconds(bench.trace);
  console.log(
    `  ${LINES} lines, ${PODS} pods, ${gb.toFixed(2)} GB; JSON.parse of the lines ${parse.toFixed(1)} s`,
  );
  for (const [name, args] of [
    ['replay', []],
    ['replay as the kubelet', ['--compat', 'kubelet']],
    ['replay of two configurations', ['--compare', bench.kubelet]],
  ] as const) {
    const { seconds, peakMb, lines } = replay(bench, args);
    console.log(`  ${name}: ${seconds.toFixed(1)} s, ${lines} lines out`);
    console.log(ratioLine(`${name} / JSON.parse of the same lines`, seconds / parse, 20));
    console.log(ratioLine(`peak memory of ${name}, MB`, peakMb, 200));
  }
} finally {
  rmSync(bench.folder, { recursive: true, force: true });
}
