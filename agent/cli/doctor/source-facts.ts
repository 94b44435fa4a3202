import type { SourceLook } from '../../decide/doctor/facts.ts';
import { Failure } from '../../exit.ts';
import { PODS_FILE } from '../../fake/fake-node.ts';
import type { CapturedTexts } from '../../observe/captured/captured-inputs.ts';
import { readLack, writeLack } from '../../observe/doctor/access.ts';
import { liveKubelet } from '../../observe/kubelet-process.ts';
import { isRemote, parseSourceName } from '../../observe/pods/source-name.ts';
import { isSocket, runtimeSocket, socketPath } from '../../observe/runtime-socket.ts';
import { kubeletAddress } from '../../peers/kubelet/address.ts';
import { hasKubeletCredentials } from '../../peers/kubelet/credentials.ts';
import { SERVICE_ACCOUNT_FOLDER } from '../../peers/service-account.ts';
import { statsSource } from '../inputs/stats-source.ts';
import { credentialsOf } from './peer-facts.ts';
import type { DoctorScene } from './scene.ts';

/** What a look at the sources of nodeqos.yaml needs beside the scene. */
export interface SourceInputs {
  readonly captured: Pick<CapturedTexts, 'pods'> | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Looks whether the pods of pods.source can be had, as the commands would get them. Nobody is asked. Throws nothing. */
export function podsLook(scene: DoctorScene, { captured, env }: SourceInputs): SourceLook {
  const { source } = scene.configuration.nodeqos.pods;
  if (captured?.pods !== undefined) return there('the pods that were captured');
  const name = parseSourceName(source);
  if (scene.root.capture !== undefined && isRemote(name)) {
    return { kind: 'none', found: `${source}: it stayed on the node` };
  }
  switch (name.kind) {
    case 'auto':
      return autoLook(scene);
    case 'file':
    case 'dir':
      return pathLook(scene, { ...name, setting: 'pods.source' });
    case 'kubelet':
      return kubeletLook(scene, name.url, 'pods.source');
    case 'cri':
      return socketLook(scene, name.socket);
    case 'api':
      return apiLook(scene, env);
  }
}

/** The same for stats.source. */
export function statsLook(scene: DoctorScene): SourceLook {
  const { root, configuration } = scene;
  try {
    const source = statsSource(undefined, { root, nodeqos: configuration.nodeqos });
    if (source.kind === 'cgroup') return there('the cgroup tree');
    if (source.kind === 'kubelet') return kubeletLook(scene, source.url, 'stats.source');
    const path = configuration.nodeqos.stats.source.replace(/^summary:/, '');
    return pathLook(scene, { kind: 'file', path, setting: 'stats.source' });
  } catch (error) {
    return refused(error, 'correct stats.source in nodeqos.yaml');
  }
}

/** Why there is no runtime to ask on a root that is only files; undefined where there is one or that is looked at elsewhere. */
export function runtimeLack({ root, configuration }: DoctorScene): string | undefined {
  if (root.kind !== 'folder' || root.capture !== undefined) return undefined;
  const { nodeqos, kubelet } = configuration;
  const { source } = nodeqos.pods;
  const isNamed = nodeqos.runtime.endpoint === undefined && source.startsWith('cri:');
  const socket = isNamed
    ? socketPath(source.slice('cri:'.length))
    : runtimeSocket(nodeqos.runtime, kubelet, root);
  if (socket === undefined) return 'no socket of a runtime is there';
  return isSocket(socket) ? undefined : `${socket} is no socket of a runtime`;
}

function there(found: string, takes?: string): SourceLook {
  return { kind: 'there', found, ...(takes === undefined ? {} : { takes }) };
}

function lacking(found: string, remedy: string): SourceLook {
  return { kind: 'lacking', found, remedy };
}

function refused(error: unknown, remedy: string): SourceLook {
  if (!(error instanceof Failure)) throw error;
  return lacking(error.message, remedy);
}

interface NamedPath {
  readonly kind: 'file' | 'dir';
  readonly path: string;
  readonly setting: 'pods.source' | 'stats.source';
}

function pathLook(scene: DoctorScene, named: NamedPath): SourceLook {
  const { kind, path, setting } = named;
  if (path === '') return lacking(`${setting} names no path`, `name one in ${setting} of nodeqos.yaml`);
  const { files } = scene.root;
  const file = files.nameOf(relative(path));
  const isFolder = files.readDirectory(relative(path).replace(/(?<=.)\/+$/, '')).kind === 'read';
  const denied = accessLook(scene, named, isFolder);
  if (denied !== undefined) return denied;
  if (kind === 'dir' && !isFolder) {
    return lacking(`${file} is no folder that can be listed`, `name a folder in ${setting}`);
  }
  if (kind === 'file' && isFolder) {
    const asFolder = setting === 'pods.source' ? `, or dir:${path} for a folder of manifests` : '';
    return lacking(`${file} is a folder`, `name a file in ${setting}${asFolder}`);
  }
  return there(`${kind}:${file}`);
}

function accessLook(
  { root, overrides }: DoctorScene,
  { path, setting }: NamedPath,
  isFolder: boolean,
): SourceLook | undefined {
  const file = root.files.nameOf(relative(path));
  const isRead = (): boolean => isFolder || root.files.readFile(relative(path)).kind === 'read';
  const inArchive = root.kind === 'archive' && !isRead() ? 'ENOENT' : undefined;
  const code = root.kind === 'archive' ? inArchive : readLack(file, overrides);
  if (code === undefined) return undefined;
  return code === 'ENOENT' || code === 'ENOTDIR'
    ? lacking(`${file} is not there`, `put it there, or set ${setting} in nodeqos.yaml`)
    : lacking(
        `${file} cannot be read (${code})`,
        `run as a user who may read it, or set ${setting} in nodeqos.yaml`,
      );
}

function kubeletLook(scene: DoctorScene, url: string, setting: NamedPath['setting']): SourceLook {
  try {
    const address = kubeletAddress(url);
    if (address.scheme === 'http') return there(`kubelet:${address.text}; it was not asked`);
    const bad = credentialsOf(scene).find(({ of, state }) => of === 'kubelet' && state !== 'readable');
    if (bad !== undefined) {
      const how = typeof bad.state === 'object' ? `cannot be read (${bad.state.code})` : 'is not there';
      return lacking(
        `kubelet:${address.text} needs credentials, and ${bad.path} ${how}`,
        'put the file there for the user of nodeqos, or correct kubelet: in nodeqos.yaml',
      );
    }
    return hasKubeletCredentials(scene.configuration.nodeqos.kubelet)
      ? there(`kubelet:${address.text}; it was not asked`)
      : lacking(
          `kubelet:${address.text} needs credentials, and there are none`,
          'set kubelet.tokenFile in nodeqos.yaml, or kubelet.clientCertificateFile and clientKeyFile',
        );
  } catch (error) {
    return refused(error, `correct ${setting} in nodeqos.yaml`);
  }
}

/** A socket that pods.source names is one of this machine under any root, as whoever connects to it takes it. */
function socketLook({ overrides }: DoctorScene, named: string): SourceLook {
  const path = socketPath(named);
  const remedy = 'start the runtime, or set pods.source in nodeqos.yaml to where it listens';
  if (path === undefined) return lacking(`cri:${named} names no socket`, remedy);
  if (!isSocket(path)) return lacking(`${path} is no socket that can be seen`, remedy);
  return writeLack(path, overrides) === undefined
    ? there(`cri:${path}; it was not asked`)
    : lacking(
        `this user may not open ${path}`,
        'run as root, or as a user of the group that owns the socket',
      );
}

function apiLook(scene: DoctorScene, env: SourceInputs['env']): SourceLook {
  const { api } = scene.configuration.nodeqos;
  const remedy = 'name a kubeconfig that can be read in api.kubeconfig of nodeqos.yaml';
  if (api.kubeconfig !== undefined) {
    const file = scene.root.files.nameOf(relative(api.kubeconfig));
    const code = readLack(file, scene.overrides);
    return code === undefined
      ? there(`api, by ${file}; it was not asked`)
      : lacking(`api: ${file} cannot be read (${code})`, remedy);
  }
  const isInside = (env['KUBERNETES_SERVICE_HOST'] ?? '') !== '';
  const token = `${SERVICE_ACCOUNT_FOLDER}/token`;
  if (!isInside) return lacking('api: no kubeconfig is named, and this is no pod of a cluster', remedy);
  return readLack(token, scene.overrides) === undefined
    ? there("api, by the pod's service account; it was not asked")
    : lacking(`api: ${token} cannot be read`, remedy);
}

/** What `auto` would take, in its order: the kubelet and the runtime of this machine, then files. */
function autoLook(scene: DoctorScene): SourceLook {
  const { root, configuration } = scene;
  const peer = root.kind === 'host' && !root.isFake ? peerHere(scene) : undefined;
  if (peer !== undefined) return there(`auto: ${peer}; it was not asked`, peer);
  if (root.isFake && root.files.readFile(PODS_FILE).kind === 'read') {
    return there(`auto: ${root.files.nameOf(PODS_FILE)}`);
  }
  const folder = configuration.kubelet.staticPodPath;
  return folder !== null && root.files.readDirectory(relative(folder)).kind === 'read'
    ? there(`auto: static pods of ${root.files.nameOf(relative(folder))}`)
    : { kind: 'none', found: 'auto: nothing is there that tells which pods run here' };
}

function peerHere({ root, configuration }: DoctorScene): string | undefined {
  const { nodeqos, kubelet } = configuration;
  const isOpen = kubelet.readOnlyPort !== undefined;
  if (liveKubelet(root) !== undefined && (isOpen || hasKubeletCredentials(nodeqos.kubelet))) {
    const port = kubelet.readOnlyPort ?? kubelet.port ?? 10_250;
    return `kubelet:${isOpen ? 'http' : 'https'}://127.0.0.1:${port}`;
  }
  const socket = runtimeSocket(nodeqos.runtime, kubelet, root);
  return socket !== undefined && isSocket(socket) ? `cri:${socket}` : undefined;
}

function relative(path: string): string {
  return path.replace(/^\/+/, '');
}
