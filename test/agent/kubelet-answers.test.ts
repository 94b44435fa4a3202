import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../../agent/cli/program.ts';
import type { RankedPod } from '../../agent/decide/rank.ts';
import { RecordingIo } from '../fakes/recording-io.ts';

const fixtures = process.env['NODEQOS_FIXTURES'];
if (fixtures === undefined) {
  console.info('Answers of real kubelets are skipped: NODEQOS_FIXTURES does not name their folder.');
}

const folder = join(fixtures ?? '', 'kubelet-api');

async function answer(version: string, ...args: readonly string[]): Promise<unknown> {
  const io = new RecordingIo();
  const pods = join(folder, `L-${version}-pods.json`);
  const stats = `summary:${join(folder, `${version}-stats-summary.json`)}`;
  const status = await runProgram([...args, '--offline', '--pods', pods, '--stats', stats, '-o', 'json'], io);
  expect([status, io.stderr]).toEqual([0, '']);
  return JSON.parse(io.stdout);
}

interface Expected {
  readonly text: string;
  readonly rows: readonly (readonly unknown[])[];
}

/** The part of the expectations about one version: `1. NAME phase=… workingSet=N request=N over=… priority=N CRITICAL`. */
function expectations(version: string): Expected {
  const document = readFileSync(join(folder, 'EXPECTED-ranking.md'), 'utf8');
  const text = document.split('\n## ').find((part) => part.startsWith(`${version}\n`)) ?? '';
  const line =
    /^(\d+)\. (\S+) phase=\S+ qos=(\S+) workingSet=(\S+) request=(\d+) over=(no stats|True|False) priority=(-?\d+)( CRITICAL)?/;
  const rows = text.split('\n').flatMap((row) => {
    const match = line.exec(row);
    if (match === null) return [];
    const [, rank, name, qos, workingSet, request, over, priority, critical] = match;
    const usage = workingSet === 'None' ? null : Number(workingSet);
    const exceeds = over === 'no stats' ? null : over === 'True';
    return [
      [Number(rank), name, qos, usage, Number(request), exceeds, Number(priority), critical !== undefined],
    ];
  });
  return { text, rows };
}

function rowsOf(order: readonly RankedPod[]): readonly (readonly unknown[])[] {
  return order.map((pod) => [
    pod.rank,
    pod.name,
    pod.qosClass,
    pod.usage,
    pod.request,
    pod.exceedsRequest,
    pod.priority,
    pod.critical,
  ]);
}

describe.skipIf(fixtures === undefined)('answers of real kubelets', () => {
  it.each(['1.31', '1.34'])('report 13: %s ranks as the kubelet ranks', async (version) => {
    const { rows, text } = expectations(version);
    const ranking = (await answer(`${version}-kubelet`, 'rank', '--compat', 'kubelet')) as {
      readonly order: readonly RankedPod[];
    };
    expect(rows.length).toBeGreaterThan(15);
    expect(rowsOf(ranking.order)).toEqual(rows);
    expect(text).toContain(`first evicted: ${ranking.order.find((pod) => pod.evictable)?.name ?? ''}`);
  });
  it.each(['1.31', '1.34'])('%s has the signals of the kubelet', async (version) => {
    const { text } = expectations(version);
    const status = (await answer(`${version}-kubelet`, 'status')) as {
      readonly signals: readonly {
        readonly signal: string;
        readonly available: number;
        readonly capacity: number;
      }[];
    };
    const seen = new Map(status.signals.map((one) => [one.signal, one]));
    const numbers = (signal: string): string => `${seen.get(signal)?.available} of`;
    expect(text).toContain(
      `memory.available = ${numbers('memory.available')} capacity ${seen.get('memory.available')?.capacity}`,
    );
    expect(text).toContain(
      `allocatableMemory.available = ${seen.get('allocatableMemory.available')?.available} `,
    );
    for (const signal of ['nodefs.available', 'pid.available']) {
      expect(text).toContain(`${signal} = ${numbers(signal)} ${seen.get(signal)?.capacity}`);
    }
    expect(seen.size).toBe(9);
  });
  it('report 41: a node without the system container pods has no allocatable memory observed', async () => {
    const status = (await answer('1.9-minikube-2018', 'status')) as {
      readonly signals: readonly { readonly signal: string }[];
      readonly thresholds: readonly { readonly signal: string; readonly met: boolean }[];
    };
    expect(status.signals.map(({ signal }) => signal)).toEqual([
      'imagefs.available',
      'imagefs.inodesFree',
      'memory.available',
      'nodefs.available',
      'nodefs.inodesFree',
    ]);
    expect(status.thresholds.filter(({ signal }) => signal === 'allocatableMemory.available')).toEqual([
      expect.objectContaining({ met: false }),
    ]);
  });
  it.each(['1.31', '1.34'])('%s: nodeqos passes over the pod that nobody measured', async (version) => {
    const { order } = (await answer(`${version}-kubelet`, 'rank')) as {
      readonly order: readonly RankedPod[];
    };
    expect(order[0]).toMatchObject({ name: 'e2e-container-creating', usage: null, evictable: false });
    expect(order.find((pod) => pod.evictable)?.rank).toBe(2);
  });
});
