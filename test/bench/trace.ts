import { closeSync, mkdtempSync, openSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface BenchTrace {
  readonly folder: string;
  readonly trace: string;
  readonly kubelet: string;
}

const GI = 1024 ** 3;
const MI = 1024 ** 2;

function uid(pod: number): string {
  return `00000000-0000-4000-8000-${pod.toString(16).padStart(12, '0')}`;
}

/** The pods as the API answers them, as far as it matters, with a label that changes whenever they are listed. */
function pods(count: number, list: number): readonly object[] {
  return Array.from({ length: count }, (_, pod) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `pod-${pod}`,
      namespace: `team-${pod % 17}`,
      uid: uid(pod),
      labels: { app: `app-${pod % 23}`, list: String(list % 7) },
    },
    spec: {
      nodeName: 'bench',
      priority: pod % 5,
      terminationGracePeriodSeconds: 30,
      containers: Array.from({ length: 2 }, (__, container) => ({
        name: `c${container}`,
        image: 'registry.example/app:1',
        resources: { requests: { cpu: '50m', memory: '48Mi' }, limits: { memory: '256Mi' } },
      })),
    },
    status: { phase: 'Running', qosClass: 'Burstable', startTime: '2026-01-01T00:00:00Z' },
  }));
}

function usage(count: number, second: number): object {
  return Object.fromEntries(
    Array.from({ length: count }, (_, pod) => [
      uid(pod),
      {
        memoryWorkingSetBytes: 40 * MI + ((pod * 7919 + second * 104729) % (300 * MI)),
        processCount: 5 + ((pod + second) % 40),
        ephemeralStorageBytes: 10 * MI + ((pod * 31 + second * 4096) % (500 * MI)),
        inodes: 1000 + ((pod * 13 + second) % 5000),
      },
    ]),
  );
}

/** Memory falls and comes back every quarter of an hour, below the soft and at times below the hard threshold. */
function signals(second: number): object {
  const wave = Math.abs(((second % 900) - 450) / 450);
  const atMs = second * 1000;
  return {
    'memory.available': { available: Math.round(wave * 8 * GI), capacity: 32 * GI, atMs },
    'allocatableMemory.available': { available: Math.round((wave + 0.1) * 8 * GI), capacity: 30 * GI, atMs },
    'nodefs.available': { available: 60 * GI, capacity: 100 * GI, atMs },
    'nodefs.inodesFree': { available: 5_000_000, capacity: 6_553_600, atMs },
    'pid.available': { available: 31_000, capacity: 32_768, atMs },
  };
}

const KUBELET = JSON.stringify({
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  featureGates: { MemoryQoS: false },
  evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '10%', 'nodefs.inodesFree': '5%' },
  evictionSoft: { 'memory.available': '1Gi' },
  evictionSoftGracePeriod: { 'memory.available': '1m30s' },
  mergeDefaultEvictionSettings: true,
});

/** Writes a trace of one observation a second: usage on every line, pods on one line in sixty. */
export function benchTrace(lines: number, podCount: number): BenchTrace {
  const folder = mkdtempSync(join(tmpdir(), 'nodeqos-bench-trace-'));
  const trace = join(folder, 'trace.jsonl');
  const kubelet = join(folder, 'kubelet.json');
  const descriptor = openSync(trace, 'w');
  for (let second = 0; second < lines; second++) {
    const observation = {
      atMs: second * 1000,
      signals: signals(second),
      ...(second % 60 === 0 ? { pods: pods(podCount, second / 60) } : {}),
      usage: usage(podCount, second),
    };
    writeSync(descriptor, `${JSON.stringify(observation)}\n`);
  }
  closeSync(descriptor);
  const config = openSync(kubelet, 'w');
  writeSync(config, KUBELET);
  closeSync(config);
  return { folder, trace, kubelet };
}
