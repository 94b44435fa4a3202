import { statSync } from 'node:fs';
import type { KubeletSettings } from '../../config/kubelet/settings.ts';
import type { RuntimeAccess } from '../../config/nodeqos/settings.ts';
import type { NodeRoot } from './root.ts';

/** Where the runtimes put their sockets when nobody says otherwise: containerd, CRI-O, cri-dockerd, k3s, MicroK8s. */
const USUAL_SOCKETS = [
  'run/containerd/containerd.sock',
  'run/crio/crio.sock',
  'run/cri-dockerd.sock',
  'run/k3s/containerd/containerd.sock',
  'var/snap/microk8s/common/run/containerd.sock',
] as const;

/**
 * The socket of this node's container runtime, as a path of this machine: the one that nodeqos.yaml names, else
 * containerRuntimeEndpoint of KubeletConfiguration, else the first usual place that has one; undefined where none does.
 */
export function runtimeSocket(
  { endpoint }: RuntimeAccess,
  { containerRuntimeEndpoint }: Pick<KubeletSettings, 'containerRuntimeEndpoint'>,
  { files }: Pick<NodeRoot, 'files'>,
): string | undefined {
  const named = endpoint ?? containerRuntimeEndpoint;
  if (named !== undefined) return files.nameOf(socketPath(named).replace(/^\/+/, ''));
  return USUAL_SOCKETS.map((path) => files.nameOf(path)).find(isSocket);
}

/** The path in `unix:///run/x.sock`, `unix:/run/x.sock` or `/run/x.sock`. */
export function socketPath(endpoint: string): string {
  return endpoint.replace(/^unix:(?:\/\/)?(?=\/)/, '');
}

/** Whether a socket is there; one that may not be looked at is not. */
export function isSocket(path: string): boolean {
  try {
    return statSync(path).isSocket();
  } catch {
    return false;
  }
}
