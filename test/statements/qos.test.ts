import { describe, expect, it } from 'vitest';
import { memoryQosPlan } from '../../agent/decide/memory-qos-plan.ts';
import { podEntry } from '../../agent/decide/pod-entry.ts';
import { computeQosClass } from '../../agent/decide/qos-class.ts';
import { podMemoryRequestBytes } from '../../agent/decide/resources.ts';
import { memoryHighBytes } from '../../cgroup/memory-high.ts';
import { readKubeletConfiguration } from '../../config/kubelet/read.ts';
import { readNodeQosConfiguration } from '../../config/nodeqos/read.ts';
import { memoryQosPolicy } from '../../config/policy.ts';
import type { PlainRecord, PlainValue } from '../../config/text/plain-value.ts';
import { kubeletSettings, NO_RESERVATIONS, planInputs } from '../fakes/planning.ts';
import { container, podOf } from '../fakes/pods.ts';
import { memoryPod, namesOf, rankOf } from '../fakes/ranking.ts';

const MI = 1024n * 1024n;
const BOTH: PlainRecord = { cpu: '1', memory: '1Gi' };
const classOf = (...containers: readonly PlainValue[]) => computeQosClass(podOf({ spec: { containers } }));
const podWith = (name: string, requests: PlainRecord, limits: PlainRecord = {}) =>
  podOf({
    name,
    metadata: { namespace: 'a', name, uid: name },
    spec: { containers: [container('c', requests, limits)] },
  });

/** What a plan wants, as `LEVEL FILE` and bytes, of a pod or of the tiers above all pods. */
function wanted(pods: readonly ReturnType<typeof podOf>[], policy: 'None' | 'TieredReservation') {
  const { entries } = memoryQosPlan(
    planInputs(pods, {
      kubelet: kubeletSettings(NO_RESERVATIONS),
      policy: {
        memoryThrottlingFactor: 0.9,
        memoryReservationPolicy: policy,
        protection: 'kubelet',
        headroom: 0,
      },
    }),
  );
  return new Map(entries.map(({ level, pod, file, desired }) => [`${level} ${pod ?? ''} ${file}`, desired]));
}

/** What is commonly said of QoS classes and of Memory QoS, by the number of the statement. */
describe('classes', () => {
  it('Q4: Guaranteed has cpu and memory limits that equal the requests in each container, Burstable anything less, BestEffort nothing', () => {
    expect(classOf(container('c', BOTH, BOTH))).toBe('Guaranteed');
    expect(classOf(container('c', {}, BOTH))).toBe('Guaranteed');
    expect(classOf(container('c', BOTH, BOTH), container('d'))).toBe('Burstable');
    expect(classOf(container('c', { cpu: '1m' }))).toBe('Burstable');
    expect(classOf(container('c', { 'example.com/gpu': '1' }, { 'example.com/gpu': '1' }))).toBe(
      'BestEffort',
    );
  });

  it('Q1, Q2, Q3, Q15: the class is no order of eviction: who uses more than it requests goes first', () => {
    const pods = [
      memoryPod('guaranteed', 900, { memory: '1Gi' }),
      memoryPod('burstable-over', 200, { memory: '100Mi' }),
      memoryPod('best-effort', 100),
    ];
    expect(namesOf(rankOf(pods, 'memory.available'))).toEqual([
      'best-effort',
      'burstable-over',
      'guaranteed',
    ]);
  });

  it('Q5: a pod without a limit has none', () => {
    expect(podEntry(podWith('p', { memory: '1Mi' }), 1n << 34n).memoryLimitBytes).toBeNull();
  });

  it('Q16: init containers count in the request of a pod where they ask for more, and overhead counts always', () => {
    const spec: PlainRecord = {
      containers: [container('c', { memory: '10Mi' }), container('d', { memory: '20Mi' })],
      initContainers: [container('i', { memory: '50Mi' })],
      overhead: { memory: '1Mi' },
    };
    expect(podMemoryRequestBytes(podOf({ spec }))).toBe(51n * MI);
  });
});

describe('Memory QoS', () => {
  const burstable = podWith('burstable', { memory: '256Mi' }, { memory: '1Gi' });
  const guaranteed = podWith('guaranteed', BOTH, BOTH);

  it('Q7, Q8, Q9: a kubelet whose configuration says nothing neither throttles nor protects', () => {
    const kubelet = readKubeletConfiguration(undefined, []).settings;
    const nodeqos = readNodeQosConfiguration(undefined, []).settings;
    if (kubelet === undefined || nodeqos === undefined) throw new Error('the defaults are refused');
    expect(memoryQosPolicy(kubelet, nodeqos)).toMatchObject({
      memoryThrottlingFactor: null,
      memoryReservationPolicy: 'None',
    });
  });

  it('vQ1, Q8: memory.high is requests + factor * (limits - requests), down to a page; a Guaranteed pod has none', () => {
    expect(memoryHighBytes(256n * MI, 1024n * MI, 0.9, 1)).toBe(993_211_187n);
    expect(memoryHighBytes(256n * MI, 1024n * MI, 0.9, 4096)).toBe(993_210_368n);
    const plan = wanted([burstable, guaranteed], 'None');
    expect(plan.get('container burstable memory.high')).toBe('993210368');
    expect(plan.get('container guaranteed memory.high')).toBe('max');
  });

  it('Q9: TieredReservation keeps the requests of Guaranteed pods for certain, of Burstable ones while it can', () => {
    const plan = wanted([burstable, guaranteed], 'TieredReservation');
    expect(['min', 'low'].map((file) => plan.get(`pod guaranteed memory.${file}`))).toEqual([
      '1073741824',
      '0',
    ]);
    expect(['min', 'low'].map((file) => plan.get(`pod burstable memory.${file}`))).toEqual([
      '0',
      '268435456',
    ]);
  });

  it('Q10: the tiers above keep the sums, without which nothing below would be kept', () => {
    const plan = wanted([burstable, guaranteed], 'TieredReservation');
    expect([plan.get('node  memory.min'), plan.get('node  memory.low'), plan.get('qos  memory.low')]).toEqual(
      [`${1280n * MI}`, `${256n * MI}`, `${256n * MI}`],
    );
  });

  it('Q12: without a policy all of that is 0', () => {
    const plan = wanted([burstable, guaranteed], 'None');
    for (const entry of [
      'node  memory.min',
      'node  memory.low',
      'qos  memory.low',
      'pod guaranteed memory.min',
    ]) {
      expect(plan.get(entry)).toBe('0');
    }
  });

  it('Q19: both fields are read, and either may be there without the other', () => {
    const read = (fields: string) => {
      const text = `apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n${fields}`;
      const { settings } = readKubeletConfiguration({ file: 'f', text }, []);
      return [settings?.memoryThrottlingFactor, settings?.memoryReservationPolicy];
    };
    expect(read('memoryThrottlingFactor: 0.9\nmemoryReservationPolicy: TieredReservation\n')).toEqual([
      0.9,
      'TieredReservation',
    ]);
    expect(read('memoryThrottlingFactor: 0.9\n')).toEqual([0.9, 'None']);
    expect(read('memoryReservationPolicy: TieredReservation\n')).toEqual([null, 'TieredReservation']);
  });
});
