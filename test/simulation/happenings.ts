import type { Pod } from '../../agent/model/pod.ts';
import { amountIn } from '../../config/numbers/percent.ts';
import type { Threshold } from '../../config/signal.ts';
import { MI } from '../fakes/ranking.ts';
import type { Sampling, SimSight } from '../fakes/sim-eyes.ts';
import { CAPACITY, SIM_SIGNALS, type SimCgroup, type SimNode, type SimSignal } from '../fakes/sim-node.ts';
import { randomInside, randomPod } from '../fakes/sim-pods.ts';
import type { SimRandom } from '../fakes/sim-random.ts';
import type { SimTime } from '../fakes/sim-time.ts';
import { nameOf, storageLimitBytes } from './pod-rules.ts';

interface WorldParts {
  readonly random: SimRandom;
  readonly time: SimTime;
  readonly node: SimNode;
  readonly sight: SimSight;
  /** The thresholds that are in force, and what pods that were told to go still hold: numbers worth coming close to. */
  readonly thresholds: () => readonly Threshold[];
  readonly comingBack: (signal: SimSignal) => bigint;
}

const FEWEST_PODS = 4;
const MOST_PODS = 14;
const SAMPLINGS = [
  [8, 'live'],
  [2, 'sampled'],
  [1, 'frozen'],
  [1, 'timeless'],
  [1, 'absent'],
] as const satisfies readonly (readonly [number, Sampling])[];

/** What goes on at a node besides the agent: a step is one thing that happens, drawn from the seed. */
export class World {
  readonly #parts: WorldParts;
  #serial = 0;
  /** The pods that should run, as whoever owns them says. */
  #wanted: Pod[] = [];
  #olderLists: (readonly Pod[])[] = [];
  readonly #steps: readonly (readonly [number, () => void])[];

  constructor(parts: WorldParts) {
    this.#parts = parts;
    this.#steps = [
      [
        3,
        () => {
          this.#squeeze();
        },
      ],
      [
        3,
        () => {
          this.#relax();
        },
      ],
      [
        2,
        () => {
          this.#start();
        },
      ],
      [
        0.7,
        () => {
          this.#fill();
        },
      ],
      [
        3,
        () => {
          this.#grow();
        },
      ],
      [
        1,
        () => {
          this.#finish();
        },
      ],
      [
        1,
        () => {
          this.#terminate();
        },
      ],
      [
        1,
        () => {
          this.#makeAgain();
        },
      ],
      [
        1,
        () => {
          this.#replace();
        },
      ],
      [
        1,
        () => {
          this.#resample();
        },
      ],
      [
        0.5,
        () => {
          this.#failList();
        },
      ],
      [
        0.4,
        () => {
          this.#olderList();
        },
      ],
      [
        0.3,
        () => {
          this.#loseUsage();
        },
      ],
      [
        0.5,
        () => {
          this.#loseMeasure();
        },
      ],
      [
        3,
        () => {
          this.#tidy();
        },
      ],
    ];
    for (let count = 0; count < 2 * FEWEST_PODS; count += 1) this.#start();
    this.#publish();
  }

  step(): void {
    const { random } = this.#parts;
    random.weighted(this.#steps, () => undefined)();
    if (random.chance(0.7)) this.#publish();
  }

  /** The numbers change between two looks of one tick. */
  jolt(): void {
    if (this.#parts.random.chance(0.5)) this.#relax();
    else this.#grow();
  }

  #publish(): void {
    const { sight } = this.#parts;
    if (sight.listed !== undefined) this.#olderLists = [...this.#olderLists.slice(-3), sight.listed];
    sight.listed = [...this.#wanted];
  }

  #start(): void {
    const { random, node } = this.#parts;
    if (this.#wanted.length >= MOST_PODS) return;
    this.#serial += 1;
    const pod = randomPod(random, this.#serial);
    this.#wanted.push(pod);
    if (random.chance(0.95)) node.make(pod, randomInside(random));
  }

  #squeeze(): void {
    const { random, node, thresholds, comingBack } = this.#parts;
    const threshold = random.pick(thresholds());
    const signal = SIM_SIGNALS.find((one) => one === threshold?.signal);
    if (threshold === undefined || signal === undefined) return;
    const capacity = CAPACITY[signal];
    const value = amountIn(threshold.value, capacity);
    const reclaim = threshold.minReclaim === null ? 0n : amountIn(threshold.minReclaim, capacity);
    const edge = random.pick([value, value + reclaim, value - comingBack(signal), value / 2n]) ?? value;
    const beside = random.pick([
      -1n,
      0n,
      1n,
      -BigInt(random.whole(1, 300)) * (signal === 'pid.available' ? 1n : MI),
    ]);
    node.leave(signal, edge + (beside ?? 0n));
  }

  /** All pods that have a limit of local storage write more than that. */
  #fill(): void {
    for (const { pod, taken, containerRuns } of this.#parts.node.cgroups) {
      const limit = storageLimitBytes(pod);
      if (limit !== undefined && containerRuns)
        taken.storageBytes = limit + BigInt(this.#parts.random.whole(0, 1));
    }
  }

  /** A pod comes again in another cgroup of the same name. */
  makeAgain(pod: Pick<Pod, 'namespace' | 'name' | 'uid'>): void {
    const listed = this.#wanted.find((one) => nameOf(one) === nameOf(pod));
    if (listed !== undefined) this.#parts.node.make(listed, randomInside(this.#parts.random));
  }

  #relax(): void {
    const { random, node } = this.#parts;
    const signal = random.pick(SIM_SIGNALS) ?? 'memory.available';
    node.leave(signal, CAPACITY[signal] / BigInt(random.whole(1, 4)));
  }

  #grow(): void {
    const { random } = this.#parts;
    const cgroup = this.#someCgroup();
    if (cgroup?.containerRuns !== true) return;
    const { taken } = cgroup;
    taken.memoryBytes = (taken.memoryBytes * BigInt(random.whole(50, 180))) / 100n + 4096n;
    taken.storageBytes = (taken.storageBytes * BigInt(random.whole(60, 200))) / 100n + 4096n;
    taken.processes = BigInt(random.whole(2, 120));
  }

  #finish(): void {
    const pod = this.#parts.random.pick(this.#wanted);
    if (pod === undefined) return;
    this.#parts.node.of(pod)?.end('whole');
    this.#put(pod, { ...pod, phase: this.#parts.random.chance(0.5) ? 'Succeeded' : 'Failed' });
  }

  #terminate(): void {
    const { random, node, time } = this.#parts;
    const pod = random.pick(this.#wanted);
    if (pod === undefined) return;
    const terminating = { ...pod, terminating: true };
    this.#put(pod, terminating);
    const cgroup = node.of(pod);
    time.in(random.whole(0, 20) * 500, () => {
      this.#wanted = this.#wanted.filter((one) => one !== terminating);
      if (cgroup !== undefined && !cgroup.isRemoved) node.remove(cgroup.cgroup);
    });
  }

  /** The same pod in another cgroup of the same name. */
  #makeAgain(): void {
    const { random, node } = this.#parts;
    const pod = random.pick(this.#wanted);
    if (pod !== undefined) node.make(pod, randomInside(random));
  }

  /** Another pod of the same name. */
  #replace(): void {
    const { random, node } = this.#parts;
    const pod = random.pick(this.#wanted);
    if (pod === undefined) return;
    const cgroup = node.of(pod);
    if (cgroup !== undefined) node.remove(cgroup.cgroup);
    this.#serial += 1;
    const next = randomPod(random, this.#serial, pod.name);
    this.#put(pod, next);
    node.make(next, randomInside(random));
  }

  #resample(): void {
    const { random, sight, node } = this.#parts;
    const signal = random.pick(SIM_SIGNALS) ?? 'memory.available';
    sight.sampling.set(signal, random.weighted(SAMPLINGS, 'live'));
    sight.samplePeriodMs = random.pick([300, 1000, 2500, 6000]) ?? 1000;
    node.sumsLagMs = random.pick([0, 0, 600, 4000, 12_000]) ?? 0;
  }

  #failList(): void {
    const { random, sight, time } = this.#parts;
    sight.listFails = true;
    time.in(random.whole(1, 40) * 500, () => {
      sight.listFails = false;
      this.#publish();
    });
  }

  #olderList(): void {
    const { random, sight } = this.#parts;
    sight.listed = random.pick(this.#olderLists) ?? sight.listed;
  }

  #loseUsage(): void {
    const { random, sight, time } = this.#parts;
    sight.usageFails = true;
    time.in(random.whole(1, 10) * 300, () => {
      sight.usageFails = false;
    });
  }

  #loseMeasure(): void {
    const cgroup = this.#someCgroup();
    if (cgroup === undefined) return;
    if (this.#parts.random.chance(0.5)) cgroup.isMeasured = !cgroup.isMeasured;
    else cgroup.isMemoryMeasured = !cgroup.isMemoryMeasured;
  }

  /** Owners notice at last what has ended, and start others. */
  #tidy(): void {
    const { node } = this.#parts;
    this.#wanted = this.#wanted.filter((pod) => {
      const cgroup = node.of(pod);
      return pod.terminating || pod.cgroupUid === undefined || cgroup?.isPopulated === true;
    });
    while (this.#wanted.length < FEWEST_PODS) this.#start();
    for (const { cgroup } of node.cgroups.filter(
      ({ pod, isPopulated }) => !isPopulated && !this.#wanted.includes(pod),
    )) {
      node.remove(cgroup);
    }
  }

  #put(before: Pod, after: Pod): void {
    this.#wanted = this.#wanted.map((pod) => (pod === before ? after : pod));
  }

  #someCgroup(): SimCgroup | undefined {
    return this.#parts.random.pick(this.#parts.node.cgroups);
  }
}
