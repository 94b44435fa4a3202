import { isPositive, quantityToInteger, quantityToMilli, ZERO } from '../../../config/numbers/quantity.ts';
import { podRequest } from '../../decide/resources.ts';
import type { SchedulingPod } from '../../model/cluster.ts';
import type { HostPort, Pod, Resources } from '../../model/pod.ts';
import { heldRequest } from './pod-requests.ts';

/** The resources that a question is about, in the order that amounts go by. All others cannot decide it. */
export type ResourceNames = readonly string[];

/** What one pod takes of a node: whole units of each resource, thousandths of cpu, its host ports, and one place. */
export interface Load {
  readonly amounts: readonly bigint[];
  readonly hostPorts: readonly HostPort[];
}

/** The resources of which the pods ask more than nothing, by name. */
export function resourcesOf(pods: readonly Pod[]): ResourceNames {
  const names = new Set<string>();
  for (const pod of pods) {
    for (const name of namedBy(pod)) {
      if (isPositive(podRequest(pod, name))) names.add(name);
    }
  }
  return [...names].sort();
}

/** What pods take of the resources that a question is about; each pod is added up once. */
export class Loads {
  readonly names: ResourceNames;
  readonly #known = new Map<SchedulingPod, Load>();

  constructor(names: ResourceNames) {
    this.names = names;
  }

  of(pod: SchedulingPod): Load {
    const known = this.#known.get(pod);
    if (known !== undefined) return known;
    const load = loadOf(pod, this.names);
    this.#known.set(pod, load);
    return load;
  }
}

const NO_PORTS: readonly HostPort[] = [];

/** Rounded up once for the whole pod (scheduler: PodRequests, Resource.Add). */
function loadOf(pod: SchedulingPod, names: ResourceNames): Load {
  return {
    amounts: names.map((name) => toAmount(name, heldRequest(pod, name))),
    hostPorts: pod.hostPorts ?? NO_PORTS,
  };
}

/** What a node lets pods request of each resource; what it does not name it does not have. */
export function amountsOf(resources: Resources, names: ResourceNames): readonly bigint[] {
  return names.map((name) => toAmount(name, resources.get(name) ?? ZERO));
}

function toAmount(name: string, quantity: Parameters<typeof quantityToInteger>[0]): bigint {
  return name === 'cpu' ? quantityToMilli(quantity) : quantityToInteger(quantity);
}

function namedBy(pod: Pod): readonly string[] {
  const containers = pod.containers.filter(({ type }) => type !== 'ephemeral');
  const stated = [...containers, ...(pod.podLevel === undefined ? [] : [pod.podLevel])];
  return [...stated.flatMap(({ requests }) => [...requests.keys()]), ...pod.overhead.keys()];
}
