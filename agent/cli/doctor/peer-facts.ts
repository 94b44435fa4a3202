import type { CredentialLook, SocketLook } from '../../decide/doctor/facts.ts';
import { readLack } from '../../observe/doctor/access.ts';
import { type NamedSocket, runtimeSockets } from '../../observe/doctor/runtime-sockets.ts';
import { socketPath } from '../../observe/runtime-socket.ts';
import { SERVICE_ACCOUNT_FOLDER } from '../../peers/service-account.ts';
import type { DoctorScene } from './scene.ts';

/** The sockets that may be the runtime's; undefined on a root that is not this machine. */
export function socketsOf({
  root,
  configuration,
  overrides,
}: DoctorScene): readonly SocketLook[] | undefined {
  if (root.kind !== 'host') return undefined;
  const { nodeqos, kubelet } = configuration;
  const { source } = nodeqos.pods;
  const own =
    nodeqos.runtime.endpoint ?? (source.startsWith('cri:') ? source.slice('cri:'.length) : undefined);
  const stated = [
    ...named(own, 'nodeqos.yaml'),
    ...named(kubelet.containerRuntimeEndpoint, 'KubeletConfiguration'),
  ];
  return runtimeSockets(stated, overrides);
}

function named(endpoint: string | undefined, from: NamedSocket['from']): readonly NamedSocket[] {
  const path = endpoint === undefined ? undefined : socketPath(endpoint);
  return path === undefined ? [] : [{ path, runtime: 'a runtime', from }];
}

/**
 * The files with credentials that the configuration names, and the token of the pod that nodeqos may run in. They are never
 * opened. None on a captured node, whose credentials stayed there.
 */
export function credentialsOf({ root, configuration, overrides }: DoctorScene): readonly CredentialLook[] {
  if (root.capture !== undefined || root.kind === 'archive') return [];
  const { kubelet, api } = configuration.nodeqos;
  const lookAt = (of: CredentialLook['of'], path: string): CredentialLook => ({
    of,
    path,
    state: stateOf(root.files.nameOf(path.replace(/^\/+/, '')), overrides),
  });
  const files = [kubelet.tokenFile, kubelet.caFile, kubelet.clientCertificateFile, kubelet.clientKeyFile];
  return [
    ...files.flatMap((path) => (path === undefined ? [] : [lookAt('kubelet', path)])),
    ...(api.kubeconfig === undefined ? [] : [lookAt('api', api.kubeconfig)]),
    ...(api.kubeconfig === undefined && root.kind === 'host'
      ? [lookAt('api', `${SERVICE_ACCOUNT_FOLDER}/token`)].filter(({ state }) => state !== 'missing')
      : []),
  ];
}

function stateOf(path: string, overrides: boolean): CredentialLook['state'] {
  const code = readLack(path, overrides);
  if (code === undefined) return 'readable';
  return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : { code };
}
