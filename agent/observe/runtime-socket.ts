import { statSync } from 'node:fs';
import type { KubeletSettings } from '../../config/kubelet/settings.ts';
import type { RuntimeAccess } from '../../config/nodeqos/settings.ts';
import type { NodeRoot } from './root.ts';

/** Where the runtimes put their sockets when nobody says otherwise, the likeliest first. */
export const USUAL_SOCKETS: readonly { readonly path: string; readonly runtime: string }[] = [
  { path: '/run/containerd/containerd.sock', runtime: 'containerd' },
  { path: '/run/crio/crio.sock', runtime: 'CRI-O' },
  { path: '/run/cri-dockerd.sock', runtime: 'cri-dockerd' },
  { path: '/run/k3s/containerd/containerd.sock', runtime: 'containerd of k3s' },
  { path: '/var/snap/microk8s/common/run/containerd.sock', runtime: 'containerd of microk8s' },
  { path: '/run/k0s/containerd.sock', runtime: 'containerd of k0s' },
];

/**
 * The socket of this node's container runtime, as a path of this machine: the one that nodeqos.yaml names, else
 * containerRuntimeEndpoint of KubeletConfiguration, else the first usual place that has one; undefined where none does.
 */
export function runtimeSocket(
  { endpoint }: RuntimeAccess,
  { containerRuntimeEndpoint }: Pick<KubeletSettings, 'containerRuntimeEndpoint'>,
  { files }: Pick<NodeRoot, 'files'>,
): string | undefined {
  const inRoot = (path: string): string => files.nameOf(path.replace(/^\/+/, ''));
  const named = endpoint ?? containerRuntimeEndpoint;
  if (named === undefined) return USUAL_SOCKETS.map(({ path }) => inRoot(path)).find(isSocket);
  const path = socketPath(named);
  return path === undefined ? undefined : inRoot(path);
}

/** The path in an endpoint such as `unix:///run/crio/crio.sock`; undefined for what is no path on this machine. */
export function socketPath(endpoint: string): string | undefined {
  const path = endpoint.replace(/^unix:(?:\/\/)?/, '').replace(/^\/var\/run\//, '/run/');
  return path.startsWith('/') ? path : undefined;
}

/** Whether a socket is there; one that may not be looked at is not. */
export function isSocket(path: string): boolean {
  try {
    return statSync(path).isSocket();
  } catch {
    return false;
  }
}
