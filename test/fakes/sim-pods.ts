import type { Pod } from '../../agent/model/pod.ts';
import { container, podOf } from './pods.ts';
import { MI } from './ranking.ts';
import type { SimCgroup, Taken, Temper } from './sim-node.ts';
import type { SimRandom } from './sim-random.ts';

/** What a pod is to evictions. */
type Standing =
  | 'ordinary'
  | 'critical'
  | 'almost-critical'
  | 'static'
  | 'mirror'
  | 'in-protected-namespace'
  | 'labelled'
  | 'important'
  | 'limited-storage'
  | 'without-uid';

const STANDINGS = [
  [14, 'ordinary'],
  [1, 'critical'],
  [1, 'almost-critical'],
  [1, 'static'],
  [1, 'mirror'],
  [1, 'in-protected-namespace'],
  [1, 'labelled'],
  [2, 'important'],
  [2, 'limited-storage'],
  [0.5, 'without-uid'],
] as const satisfies readonly (readonly [number, Standing])[];

const PRIORITIES: Readonly<Partial<Record<Standing, number>>> = {
  critical: 2_000_000_000,
  'almost-critical': 1_999_999_999,
};

const TEMPERS = [
  [6, 'obedient'],
  [2, 'slow'],
  [2, 'stubborn'],
  [1, 'undying'],
] as const satisfies readonly (readonly [number, Temper])[];

/** A pod with the serial number in its name; two may share a name. */
export function randomPod(random: SimRandom, serial: number, name = `p${serial}`): Pod {
  const standing: Standing = random.weighted(STANDINGS, 'ordinary');
  const requests = random.chance(0.6) ? { memory: `${random.whole(1, 6) * 64}Mi` } : {};
  const limits = standing === 'limited-storage' ? { 'ephemeral-storage': '1Gi' } : {};
  const priority =
    PRIORITIES[standing] ?? (standing === 'important' ? random.whole(999, 1000) : random.whole(-1, 2));
  const uid = `u${serial}`;
  const metadata = {
    name,
    namespace: standing === 'in-protected-namespace' ? 'kept' : `n${random.whole(1, 2)}`,
    ...(standing === 'without-uid' ? {} : { uid }),
    annotations: annotationsOf(standing, uid),
    labels: standing === 'labelled' ? { keep: 'yes' } : { keep: 'no' },
  };
  return podOf({
    metadata,
    spec: {
      priority,
      containers: [container('main', requests, limits)],
      ...(random.chance(0.7) ? { terminationGracePeriodSeconds: random.whole(0, 40) } : {}),
    },
    status: {
      phase: 'Running',
      containerStatuses: [{ name: 'main', containerID: `containerd://c${serial}` }],
    },
  });
}

function annotationsOf(standing: Standing, uid: string): Readonly<Record<string, string>> {
  if (standing === 'static') return { 'kubernetes.io/config.source': 'file' };
  if (standing === 'mirror') return { 'kubernetes.io/config.mirror': uid, 'kubernetes.io/config.hash': uid };
  return {};
}

/** What runs in a new pod's cgroup. */
export function randomInside(random: SimRandom): ConstructorParameters<typeof SimCgroup>[2] {
  return {
    temper: random.weighted(TEMPERS, 'obedient'),
    taken: randomTaken(random),
    isMeasured: random.chance(0.93),
  };
}

function randomTaken(random: SimRandom): Taken {
  return {
    memoryBytes: BigInt(random.whole(2, 90)) * 4n * MI,
    storageBytes: BigInt(random.whole(0, 30)) * 32n * MI,
    processes: BigInt(random.whole(2, 60)),
  };
}
