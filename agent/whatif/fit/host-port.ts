import type { HostPort } from '../../model/pod.ts';

const EVERY_ADDRESS = '0.0.0.0';

/** Whether a port of a node is one of those that are taken: on the same address, or on every one (scheduler: NodePorts). */
export function isPortTaken(port: HostPort, taken: readonly HostPort[]): boolean {
  return taken.some(
    (other) =>
      other.port === port.port &&
      other.protocol === port.protocol &&
      (other.hostIp === port.hostIp || other.hostIp === EVERY_ADDRESS || port.hostIp === EVERY_ADDRESS),
  );
}
