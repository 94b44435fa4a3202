import { isDeepStrictEqual } from 'node:util';
import { compareBytewise } from '../../../cgroup/byte-order.ts';
import { type Warning, warning } from '../../../cgroup/warning.ts';
import { Failure } from '../../exit.ts';
import type { Pod } from '../../model/pod.ts';
import type { PodsRead } from '../../model/pods-read.ts';
import { readPod } from '../../observe/pods/podspec.ts';
import type { Clock, RemotePods } from '../../ports.ts';
import { followByPolling } from '../polled.ts';
import type { CriClient } from './cri-client.ts';
import { DetailCache } from './detail-cache.ts';
import type { ContainerDetail, SandboxDetail } from './facts.ts';
import { combined, type PodThatRuns } from './manifest-pods.ts';
import { CONFIG_SOURCE, podDocument } from './pod-document.ts';
import { type KnownPod, qosClassOf, type RuntimePod, runtimePods } from './runtime-pod.ts';
import { bare, warningsOf } from './unknowns.ts';

/** What the source of pods works with. */
export interface CriPodsParts {
  readonly client: CriClient;
  /** The manifests of static pods, as they are now: what the runtime cannot tell of a pod is in its manifest. */
  readonly manifests?: () => PodsRead;
  readonly everyMs: number;
  readonly clock: Clock;
}

/** A look is two rounds of calls: lists, and then what is new in them. */
const ROUNDS = 2;

/**
 * The pods that a container runtime runs, together with the manifests of static pods. Each look asks for the two lists, and for
 * the status of what is new in them. A list that says the same as the last one is the last one.
 */
export function criPods({ client, manifests, everyMs, clock }: CriPodsParts): RemotePods {
  const looks = new RuntimeLooks(client, clock);
  let last: PodsRead | undefined;
  const list = async (signal: AbortSignal): Promise<PodsRead> => {
    const known = await looks.look(signal);
    const read = podsRead(client.name, known, manifests);
    last = isDeepStrictEqual(read, last) ? last : read;
    return last ?? read;
  };
  const deadlineMs = client.deadlineMs * ROUNDS;
  return {
    name: `cri:${client.socket}`,
    list,
    follow: async (told, signal) => {
      await followByPolling({ name: client.name, list, everyMs, deadlineMs, clock }, told, signal);
    },
  };
}

/** Looks at what a runtime has, and remembers what it was told of it. */
class RuntimeLooks {
  readonly #client: CriClient;
  readonly #sandboxes: DetailCache<SandboxDetail>;
  readonly #containers: DetailCache<ContainerDetail>;
  #runtime: string | undefined;

  constructor(client: CriClient, clock: Clock) {
    this.#client = client;
    this.#sandboxes = new DetailCache({ ask: (id, signal) => client.sandboxDetail(id, signal), clock });
    this.#containers = new DetailCache({ ask: (id, signal) => client.containerDetail(id, signal), clock });
  }

  async look(signal: AbortSignal): Promise<readonly KnownPod[]> {
    const [sandboxes, containers] = await Promise.all([
      this.#client.sandboxes(signal),
      this.#client.containers(signal),
    ]);
    const pods = runtimePods(sandboxes, containers);
    const [details, limits, runtime] = await Promise.all([
      this.#sandboxes.of(
        pods.map(({ sandbox }) => sandbox.id),
        signal,
      ),
      this.#containers.of(
        pods.flatMap((pod) => pod.containers.map(({ id }) => id)),
        signal,
      ),
      this.#nameOfRuntime(signal),
    ]);
    return pods.flatMap((pod) => {
      const detail = details.get(pod.sandbox.id);
      return detail === undefined ? [] : [{ ...pod, ...stillThere(pod, limits), detail, limits, runtime }];
    });
  }

  /** As it calls itself, which is how statuses name it. */
  async #nameOfRuntime(signal: AbortSignal): Promise<string> {
    this.#runtime ??= (await this.#client.version(signal)).name;
    return this.#runtime;
  }
}

function stillThere(
  { containers }: RuntimePod,
  limits: ReadonlyMap<string, unknown>,
): Pick<RuntimePod, 'containers'> {
  return { containers: containers.filter(({ id }) => limits.has(id)) };
}

function podsRead(name: string, known: readonly KnownPod[], manifests: CriPodsParts['manifests']): PodsRead {
  const warnings: Warning[] = [];
  const running: PodThatRuns[] = [];
  for (const one of known) {
    const reading = readPod(podDocument(one));
    if (reading.ok) {
      const isOfKubelet = one.sandbox.annotations.has(CONFIG_SOURCE);
      running.push({ pod: reading.value, qosClass: qosClassOf(one), isOfKubelet });
    } else {
      const { id } = one.sandbox;
      warnings.push(
        warning('pod-left-out', `${name}: the sandbox ${id} was left out, since ${reading.message}`),
      );
    }
  }
  const stated = manifestsRead(manifests);
  const { ofManifests, others } = combined(stated.pods, running);
  const pods = [...ofManifests, ...others.map(bare)].toSorted(comparePods);
  return { pods, warnings: [...stated.warnings, ...warnings, ...warningsOf(name, others)] };
}

/** Where the manifests cannot be read, what runs is known all the same. */
function manifestsRead(manifests: CriPodsParts['manifests']): PodsRead {
  try {
    return manifests?.() ?? { pods: [], warnings: [] };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { pods: [], warnings: [warning('manifests-not-read', error.message)] };
  }
}

function comparePods(a: Pod, b: Pod): number {
  return (
    compareBytewise(a.namespace, b.namespace) ||
    compareBytewise(a.name, b.name) ||
    compareBytewise(a.uid ?? '', b.uid ?? '')
  );
}
