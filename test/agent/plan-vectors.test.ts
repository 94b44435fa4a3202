import { describe, expect, it } from 'vitest';
import { memoryQosPlan } from '../../agent/decide/memory-qos-plan.ts';
import { qosPods } from '../../agent/decide/qos-pods.ts';
import type { Pod } from '../../agent/model/pod.ts';
import type { MemoryFile } from '../../cgroup/memory-files.ts';
import type { PlanEntry } from '../../cgroup/plan.ts';
import { quantityToInteger } from '../../config/numbers/quantity.ts';
import {
  kubeletSettings,
  MACHINE,
  NO_RESERVATIONS,
  POLICY,
  planInputs,
  podOf,
  quantity,
} from '../fakes/planning.ts';
import {
  MEMORY_QOS_VECTORS,
  type MemoryQosVector,
  type VectorContainer,
  type VectorValues,
} from '../fixtures/vectors/memory-qos.ts';

function podOfVector({ pod }: MemoryQosVector): Pod {
  const named = pod.containers.map((container, index) => ({ ...container, name: `c${index}` }));
  return podOf({
    metadata: { name: 'vector', uid: '6a4f2e3b-1c9d-4a5e-8f7b-2d3e4f5a6b7c' },
    spec: {
      initContainers: named.filter(({ type }) => type !== undefined).map(manifestOf),
      containers: named.filter(({ type }) => type === undefined).map(manifestOf),
      ...(pod.overhead === undefined ? {} : { overhead: pod.overhead }),
      ...(pod.resources === undefined ? {} : { resources: resourcesOf(pod.resources) }),
    },
  });
}

function manifestOf({ name, type, ...resources }: VectorContainer & { readonly name: string }) {
  return {
    name,
    resources: resourcesOf(resources),
    ...(type === 'sidecar' ? { restartPolicy: 'Always' } : {}),
  };
}

function resourcesOf({ requests, limits }: Omit<VectorContainer, 'type'>) {
  return { ...(requests === undefined ? {} : { requests }), ...(limits === undefined ? {} : { limits }) };
}

function inputsOf(vector: MemoryQosVector) {
  const { capacity, factor = 0.9, policy = 'TieredReservation', pageSizeBytes = 4096 } = vector;
  const whole = capacity === undefined ? undefined : quantityToInteger(quantity(capacity));
  return planInputs([podOfVector(vector)], {
    kubelet: kubeletSettings(whole === undefined ? {} : NO_RESERVATIONS),
    policy: { ...POLICY, memoryThrottlingFactor: factor, memoryReservationPolicy: policy },
    machine: { ...MACHINE, pageSizeBytes, ...(whole === undefined ? {} : { memoryCapacityBytes: whole }) },
  });
}

function desired(
  entries: readonly PlanEntry[],
  container: string | null,
  file: MemoryFile,
): string | undefined {
  return entries.find((entry) => entry.pod !== null && entry.container === container && entry.file === file)
    ?.desired;
}

function valuesOf(entries: readonly PlanEntry[], container: string | null): Omit<VectorValues, 'limit'> {
  return {
    min: desired(entries, container, 'memory.min') ?? 'none',
    low: desired(entries, container, 'memory.low') ?? 'none',
    high: desired(entries, container, 'memory.high') ?? 'none',
  };
}

function withoutLimit({ min, low, high }: VectorValues): Omit<VectorValues, 'limit'> {
  return { min, low, high };
}

describe('Memory QoS vectors', () => {
  it.each(MEMORY_QOS_VECTORS.map((vector) => [`row ${vector.row}: ${vector.sentence}`, vector] as const))(
    '%s',
    (_name, vector) => {
      const inputs = inputsOf(vector);
      const { entries } = memoryQosPlan(inputs);
      expect({
        qosClass: entries.find(({ level }) => level === 'pod')?.qosClass,
        containers: vector.containers.map((_, index) => valuesOf(entries, `c${index}`)),
        pod: valuesOf(entries, null),
      }).toEqual({
        qosClass: vector.qosClass,
        containers: vector.containers.map(withoutLimit),
        pod: withoutLimit(vector.podValues),
      });
    },
  );

  it.each(
    MEMORY_QOS_VECTORS.map(
      (vector) => [`row ${vector.row}: limits, which are computed with and never written`, vector] as const,
    ),
  )('%s', (_name, vector) => {
    const inputs = inputsOf(vector);
    const [pod] = qosPods(inputs.pods, inputs.layout, undefined).pods;
    const limits = pod?.containers.map(
      ({ limitBytes }) => `${limitBytes ?? pod.podLevelLimitBytes ?? 'max'}`,
    );
    expect({ limits, pod: `${pod?.limitBytes ?? 'max'}` }).toEqual({
      limits: vector.containers.map(({ limit }) => limit),
      pod: vector.podValues.limit,
    });
  });
});
