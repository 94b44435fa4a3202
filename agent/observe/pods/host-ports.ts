import type { HostPort } from '../../model/pod.ts';
import { FieldFault, type Fields } from '../fields.ts';

/**
 * The ports of the node that a pod takes: those of regular containers and sidecars; on the host's network every port is one
 * of the host's (API defaulting). Throws FieldFault for a port of any container that the API would not take.
 */
export function readHostPorts(spec: Fields): readonly HostPort[] {
  const isOnHostNetwork = spec.flag('hostNetwork') === true;
  const taken: HostPort[] = [];
  for (const container of spec.maps('initContainers')) {
    const lasts = container.text('restartPolicy') === 'Always';
    for (const port of portsOf(container, isOnHostNetwork)) if (lasts) taken.push(port);
  }
  for (const container of spec.maps('containers')) taken.push(...portsOf(container, isOnHostNetwork));
  return taken;
}

function portsOf(container: Fields, isOnHostNetwork: boolean): readonly HostPort[] {
  return container.maps('ports').flatMap((port) => {
    const containerPort = numberOf(port, 'containerPort', 1);
    const stated = numberOf(port, 'hostPort', 0) ?? 0;
    const taken = stated === 0 && isOnHostNetwork ? (containerPort ?? 0) : stated;
    return taken === 0 ? [] : [hostPort(port, taken)];
  });
}

/** A host port of 0 is none; a container's own port cannot be 0. */
function numberOf(port: Fields, key: 'containerPort' | 'hostPort', lowest: 0 | 1): number | undefined {
  const stated = port.integer(key, 32);
  if (stated === undefined) return undefined;
  if (stated < BigInt(lowest) || stated > HIGHEST_PORT) {
    const message = `${stated} is not a port; write a number from 1 to ${HIGHEST_PORT}`;
    throw new FieldFault([...port.path, key], message);
  }
  return Number(stated);
}

const HIGHEST_PORT = 65_535n;

function hostPort(fields: Fields, port: number): HostPort {
  return { protocol: fields.text('protocol') ?? 'TCP', hostIp: fields.text('hostIP') ?? '0.0.0.0', port };
}
