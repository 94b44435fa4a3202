import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type PodEntry, podEntry } from '../../agent/decide/pod-entry.ts';
import { podsOfNode } from '../../agent/decide/pods-of-node.ts';
import { computeQosClass } from '../../agent/decide/qos-class.ts';
import type { Pod } from '../../agent/model/pod.ts';
import { readPodDocuments } from '../../agent/observe/pods/pod-documents.ts';

const fixtures = process.env['NODEQOS_FIXTURES'];
if (fixtures === undefined) {
  console.log('skipped: real pods are read only where NODEQOS_FIXTURES names the folder that holds them');
}

function read(...path: readonly string[]): ReturnType<typeof readPodDocuments> {
  const file = join(fixtures ?? '', ...path);
  return readPodDocuments({ file, text: readFileSync(file, 'utf8') });
}

function podsIn(...path: readonly string[]): readonly Pod[] {
  const reading = read(...path);
  if (!reading.ok) throw new Error(reading.message);
  return reading.value.pods;
}

/** The manifests by the start of their names: class, memory request in bytes, cpu request in milli. */
const MANIFESTS: readonly [string, string, bigint, bigint][] = [
  ['01-', 'Burstable', 1181116007n, 250n],
  ['02-', 'Burstable', 536870912n, 250n],
  ['04-', 'Guaranteed', 1n, 500n],
  ['05-', 'Burstable', 129000000n, 0n],
  ['06-', 'Burstable', 104857600n, 1000n],
  ['08-', 'BestEffort', 0n, 0n],
  ['09-', 'BestEffort', 0n, 0n],
  ['11-', 'Burstable', 209715200n, 700n],
  ['13-', 'Burstable', 1073741824n, 1000n],
  ['14-', 'Guaranteed', 209715200n, 1000n],
  ['15-', 'Burstable', 838860800n, 250n],
  ['16-', 'Guaranteed', 335544320n, 2250n],
  ['18-', 'BestEffort', 0n, 0n],
  ['20-', 'BestEffort', 0n, 0n],
  ['21-', 'Burstable', 104857600n, 100n],
  ['23-', 'Guaranteed', 1288490189n, 2000n],
  ['25-', 'BestEffort', 0n, 0n],
  ['26-kubeadm-staticpod-invalid', 'BestEffort', 0n, 0n],
  ['26-kubeadm-staticpod-valid', 'BestEffort', 0n, 0n],
  ['27-', 'Burstable', 52428800n, 20n],
  ['29-', 'Burstable', 32000000n, 25n],
  ['30-', 'Burstable', 192000000n, 0n],
  ['31-', 'Burstable', 134217728n, 0n],
  ['32-', 'Burstable', 33554432n, 100n],
  ['35-', 'Guaranteed', 256000000n, 1000n],
  ['36-', 'Burstable', 0n, 100n],
  ['37-', 'Guaranteed', 536870912n, 750n],
];

function manifests(): readonly string[] {
  return readdirSync(join(fixtures ?? '', 'pods')).filter((name) => /^\d/.test(name));
}

function entryOf(start: string): PodEntry {
  const name = manifests().find((file) => file.startsWith(start)) ?? '';
  const [first] = podsIn('pods', name);
  if (first === undefined) throw new Error(`${name} holds no pod`);
  return podEntry(first, undefined);
}

describe.skipIf(fixtures === undefined)('real manifests', () => {
  it.each(MANIFESTS)('%s: %s, %d bytes, %d milli', (start, qosClass, memory, cpu) => {
    const entry = entryOf(start);
    expect([entry.qosClass, entry.memoryRequestBytes, entry.cpuRequestMilli]).toEqual([
      qosClass,
      memory,
      cpu,
    ]);
  });

  it('are all in this list, but the one without a kind', () => {
    const left = manifests().filter((name) => !MANIFESTS.some(([start]) => name.startsWith(start)));
    expect(left.map((name) => name.slice(0, 3))).toEqual(['34-']);
  });

  it('34: an object without kind is refused', () => {
    const name = manifests().find((file) => file.startsWith('34-')) ?? '';
    const reading = read('pods', name);
    expect(reading.ok || [reading.finding.path, reading.finding.message]).toEqual([
      'kind',
      'the object has no kind; expected a Pod, a PodList or a List with pods, as printed by: kubectl get pods --all-namespaces -o yaml',
    ]);
  });

  it.each([
    ['01-', 1288490189n],
    ['02-', 2899102925n],
    ['05-', 3145728000n],
    ['06-', null],
  ])('%s has a memory limit of %s', (start, limit) => {
    expect(entryOf(start).memoryLimitBytes).toBe(limit);
  });

  it('09 and 21 are critical, 13 is not for its class name', () => {
    expect(entryOf('09-').critical).toBe(true);
    expect(entryOf('21-').critical).toBe(true);
    expect(entryOf('13-')).toMatchObject({ critical: false, priority: 1000000000 });
  });

  it('21: a static pod and its mirror are one', () => {
    const counted = podsOfNode(podsIn('pods', '21-mirror-and-static-pair.json'), undefined);
    expect(counted.ok && counted.value.pods.map(({ uid, cgroupUid }) => [uid, cgroupUid])).toEqual([
      ['eaf7d48161d81d9c3359e1c008571fd6', 'eaf7d48161d81d9c3359e1c008571fd6'],
    ]);
  });

  it('31: all three documents are read', () => {
    const pods = podsIn('pods', '31-kata-pod-fractional-cpu.yaml').map((pod) => podEntry(pod, undefined));
    expect(pods.map(({ qosClass, cpuRequestMilli }) => [qosClass, cpuRequestMilli])).toEqual([
      ['Burstable', 0n],
      ['Guaranteed', 250n],
      ['Guaranteed', 1200n],
    ]);
  });
});

describe.skipIf(fixtures === undefined)("real kubelets' pods", () => {
  it.each([
    ['L-1.31-kubelet-pods.json', 23],
    ['L-1.34-kubelet-pods.json', 24],
  ])('%s: the computed class is the one that the API gave, for all %d', (file, count) => {
    const pods = podsIn('kubelet-api', file);
    expect(pods).toHaveLength(count);
    for (const pod of pods) expect(computeQosClass(pod)).toBe(pod.reportedQosClass);
  });

  it('L-1.9: so it is in a list of 2018', () => {
    const pods = podsIn('kubelet-api', 'L-1.9-minikube-2018-pods.json');
    const withClass = pods.filter(({ reportedQosClass }) => reportedQosClass !== undefined);
    expect(withClass.length).toBeGreaterThan(0);
    for (const pod of withClass) expect(computeQosClass(pod)).toBe(pod.reportedQosClass);
  });

  it('a list without pods is an answer', () => {
    expect(podsIn('kubelet-api', 'L-no-pods.json')).toEqual([]);
  });
});
