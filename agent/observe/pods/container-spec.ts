import type {
  Container,
  ContainerId,
  ContainerType,
  ResourceRequirements,
  StatusRequests,
} from '../../model/pod.ts';
import type { Fields } from '../fields.ts';
import { readStatusRequests } from './status-requests.ts';

/**
 * The containers of a pod in the order of the model: init containers and sidecars as in the spec, regular ones,
 * ephemeral ones, each with what its status says. Ephemeral containers have no resources (the API forbids them any).
 */
export function readContainers(spec: Fields, status: Fields): readonly Container[] {
  const init = statusesByName(status.maps('initContainerStatuses'));
  const regular = statusesByName(status.maps('containerStatuses'));
  const ephemeral = statusesByName(status.maps('ephemeralContainerStatuses'));
  return [
    ...spec.maps('initContainers').map((container) => containerOf(container, initType(container), init)),
    ...spec.maps('containers').map((container) => containerOf(container, 'regular', regular)),
    ...spec.maps('ephemeralContainers').map((container) => containerOf(container, 'ephemeral', ephemeral)),
  ];
}

/** What a status says of a container. */
type ContainerStatus = Pick<Container, 'containerId' | 'terminated'> & StatusRequests;

function initType(container: Fields): ContainerType {
  return container.text('restartPolicy') === 'Always' ? 'sidecar' : 'init';
}

function containerOf(
  container: Fields,
  type: ContainerType,
  statuses: ReadonlyMap<string, ContainerStatus>,
): Container {
  const name = container.text('name') ?? '';
  const resources = container.map('resources');
  const requests = resources.quantities('requests');
  const limits = resources.quantities('limits');
  const stated = type === 'ephemeral' ? NO_RESOURCES : { requests, limits };
  return { name, type, ...stated, ...(statuses.get(name) ?? { terminated: false }) };
}

function statusesByName(statuses: readonly Fields[]): ReadonlyMap<string, ContainerStatus> {
  return new Map(statuses.map((status) => [status.text('name') ?? '', statusOf(status)]));
}

function statusOf(status: Fields): ContainerStatus {
  const containerId = containerIdOf(status.text('containerID') ?? '');
  const terminated = status.map('state').has('terminated');
  const requests = readStatusRequests(status);
  return containerId === undefined ? { terminated, ...requests } : { containerId, terminated, ...requests };
}

/** `runtime://id` of a status; undefined where it names none or the ID could not be part of a file name. */
function containerIdOf(text: string): ContainerId | undefined {
  const [, runtime, id] = /^([^:]+):\/\/([A-Za-z0-9][A-Za-z0-9_.-]*)$/.exec(text) ?? [];
  if (runtime === undefined || id === undefined) {
    return undefined;
  }
  return { runtime: KNOWN_RUNTIMES.find((known) => known === runtime) ?? 'other', id };
}

const KNOWN_RUNTIMES = ['containerd', 'cri-o', 'docker'] as const;

const NO_RESOURCES: ResourceRequirements = { requests: new Map(), limits: new Map() };
