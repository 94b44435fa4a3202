import fc from 'fast-check';
import type { Pod } from '../../agent/model/pod.ts';
import { cgroupLayout } from '../../cgroup/paths.ts';
import { type CgroupReading, readCgroupSnapshot } from '../../cgroup/snapshot.ts';
import type { MemoryQosPolicy } from '../../config/policy.ts';
import { planOn, podOf } from './planning.ts';
import { addCgroup, cgroupTree, type FakeTree } from './tree.ts';

const layout = cgroupLayout('systemd', '/');
const REQUEST = { layout, reserved: [], workingSets: false };

const amount = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1, max: 40_000 }),
  fc.integer({ min: 1, max: 2 ** 40 }),
);

const container = fc.record({
  request: fc.option(amount, { nil: undefined }),
  limit: fc.option(amount, { nil: undefined }),
  cpu: fc.boolean(),
});

/** Up to six pods with any requests and limits. */
export const podList = fc
  .array(fc.record({ containers: fc.array(container, { minLength: 1, maxLength: 3 }), overhead: amount }), {
    maxLength: 6,
  })
  .map((pods) => pods.map((pod, index) => podFrom(pod, index)));

export const policies: fc.Arbitrary<MemoryQosPolicy> = fc.record({
  memoryThrottlingFactor: fc.constantFrom(null, 0.4, 0.7, 0.9, 1),
  memoryReservationPolicy: fc.constantFrom('None' as const, 'TieredReservation' as const),
  protection: fc.constant('kubelet' as const),
  headroom: fc.constant(0.05),
});

interface PodShape {
  readonly containers: readonly {
    readonly request?: number | undefined;
    readonly limit?: number | undefined;
    readonly cpu: boolean;
  }[];
  readonly overhead: number;
}

function podFrom({ containers, overhead }: PodShape, index: number): Pod {
  const cpu = { cpu: '1' };
  return podOf({
    metadata: { name: `p${index}`, uid: `u-${index}` },
    spec: {
      overhead: { memory: `${overhead}` },
      containers: containers.map((shape, place) => {
        const limit = shape.limit === undefined ? undefined : Math.max(shape.limit, shape.request ?? 0);
        return {
          name: `c${place}`,
          resources: {
            requests: {
              ...(shape.request === undefined ? {} : { memory: `${shape.request}` }),
              ...(shape.cpu ? cpu : {}),
            },
            limits: { ...(limit === undefined ? {} : { memory: `${limit}` }), ...(shape.cpu ? cpu : {}) },
          },
        };
      }),
    },
    status: {
      containerStatuses: containers.map((_, place) => ({
        name: `c${place}`,
        containerID: `containerd://${index}a${place}`,
      })),
    },
  });
}

/** A tree with every cgroup that a plan of these pods names, as new ones are. */
export function treeOf(pods: readonly Pod[], usage: (index: number) => bigint = () => 0n): FakeTree {
  const tree = cgroupTree({ 'kubepods.slice': {}, [layout.burstable]: {}, [layout.besteffort]: {} });
  const named = planOn(tree, pods).entries.map(({ cgroup }) => cgroup);
  for (const [index, cgroup] of [...new Set(named)].entries()) {
    if (cgroup !== null) {
      addCgroup(tree, cgroup, { current: usage(index) });
    }
  }
  return tree;
}

/** Parents of which memory.min or memory.low is below the sum of their children's. */
export function uncovered(tree: FakeTree): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (reading: CgroupReading): void => {
    for (const knob of ['min', 'low'] as const) {
      const sum = reading.children.reduce((total, child) => total + bytes(child[knob]), 0n);
      if (reading.children.length > 0 && bytes(reading[knob]) < sum) {
        found.add(`${reading.cgroup} ${knob}`);
      }
    }
    reading.children.forEach(visit);
  };
  const { kubepods } = readCgroupSnapshot(tree, REQUEST);
  if (kubepods !== undefined) {
    visit(kubepods);
  }
  return found;
}

function bytes(limit: bigint | 'max' | undefined): bigint {
  return limit === 'max' ? 1n << 70n : (limit ?? 0n);
}
