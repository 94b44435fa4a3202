import type { TextFile } from '../../../config/finding.ts';
import { formatFinding } from '../../../config/finding.ts';
import { EXIT, Failure } from '../../exit.ts';
import { PODS_FILE } from '../../fake/fake-node.ts';
import type { PodsRead } from '../../model/pods-read.ts';
import type { CapturedTexts } from '../../observe/captured/captured-inputs.ts';
import { readPodDocuments } from '../../observe/pods/pod-documents.ts';
import { readPods } from '../../observe/pods/pod-source.ts';
import { isRemote, parseSourceName } from '../../observe/pods/source-name.ts';
import type { NodeRoot } from '../../observe/root.ts';
import type { Configuration } from './configuration.ts';

/** Where pods can come from, and of which node they are wanted. */
export interface PodPlaces {
  /** `--pods`. */
  readonly named: string | undefined;
  readonly root: NodeRoot | undefined;
  readonly captured: CapturedTexts | undefined;
  readonly nodeName: string | undefined;
}

/** The pods of the command line or of the capture; undefined where neither names any. Throws Failure 65, 66 and 77. */
export function podsNamed({ named, captured, nodeName }: PodPlaces): PodsRead | undefined {
  if (named !== undefined) return readPods(named, undefined, nodeName);
  return captured?.pods === undefined
    ? undefined
    : { pods: podsInText(captured.pods).pods, warnings: captured.podWarnings };
}

/**
 * The pods of the source that nodeqos.yaml names, else those that a fake node was built with, else of the static pods'
 * folder; undefined where there is none.
 */
function podsConfigured(places: PodPlaces, { kubelet, nodeqos }: Configuration): PodsRead | undefined {
  const { root, nodeName } = places;
  if (nodeqos.pods.source !== 'auto') return readPods(nodeqos.pods.source, root?.files, nodeName);
  if (root?.isFake === true && root.files.readFile(PODS_FILE).kind === 'read') {
    return readPods(PODS_FILE, root.files, nodeName);
  }
  return podsInManifests(places, { kubelet });
}

/** The static pods of the kubelet's folder of manifests; undefined where there is none. Throws Failure 65, 66 and 77. */
export function podsInManifests(
  { root, nodeName }: PodPlaces,
  { kubelet }: Pick<Configuration, 'kubelet'>,
): PodsRead | undefined {
  const folder = kubelet.staticPodPath;
  return root !== undefined && folder !== null && root.files.readDirectory(relative(folder)).kind === 'read'
    ? readPods(`dir:${folder}`, root.files, nodeName)
    : undefined;
}

/** The pods of files: those that are named, else those that are configured; undefined where nothing says which pods run. */
export function podsInFiles(places: PodPlaces, configuration: Configuration): PodsRead | undefined {
  return podsNamed(places) ?? podsConfigured(places, configuration);
}

/**
 * The files and folders that the pods of `podsNamed` and `podsConfigured` are read from, as paths of this machine: what has
 * to be looked at to see that they changed. Those that decide where the pods are taken from are among them.
 */
export function podPaths(places: PodPlaces, { kubelet, nodeqos }: Configuration): readonly string[] {
  const { named, root } = places;
  if (named !== undefined) return isRemote(parseSourceName(named)) ? [] : [withoutScheme(named)];
  const pathOf = (path: string): string => root?.files.nameOf(relative(path)) ?? path;
  const { source } = nodeqos.pods;
  if (source !== 'auto') return isRemote(parseSourceName(source)) ? [] : [pathOf(withoutScheme(source))];
  const folder = manifestPaths(places, { kubelet });
  return root?.isFake === true ? [pathOf(PODS_FILE), ...folder] : folder;
}

/** The folder of manifests as a path of this machine; none where the kubelet has none. */
export function manifestPaths(
  { root }: PodPlaces,
  { kubelet: { staticPodPath: folder } }: Pick<Configuration, 'kubelet'>,
): readonly string[] {
  return folder === null ? [] : [root?.files.nameOf(relative(folder)) ?? folder];
}

/**
 * The file that `podsNamed` or `podsConfigured` reads the pods from because somebody named it, as a path of this machine;
 * undefined for a folder, and for what is found without being named.
 */
export function namedPodFile({ named, root }: PodPlaces, { nodeqos }: Configuration): string | undefined {
  const source = named ?? nodeqos.pods.source;
  if (parseSourceName(source).kind !== 'file') return undefined;
  const path = withoutScheme(source);
  return named === undefined ? (root?.files.nameOf(relative(path)) ?? path) : path;
}

function withoutScheme(source: string): string {
  return source.replace(/^(?:file|dir):/, '');
}

/** For a command that cannot do without pods. */
export function podsNotKnown(): Failure {
  return new Failure(
    EXIT.usage,
    'it is not known which pods run here: give --pods FILE (kubectl get pods -o yaml), dir:FOLDER, kubelet:URL, cri:SOCKET or api',
  );
}

/** `FILE: ` for a sentence about the pods as a whole. */
export function podSourceName({ named, captured }: PodPlaces): string {
  const name = named ?? captured?.pods?.file;
  return name === undefined ? '' : `${name}: `;
}

function podsInText(text: TextFile): PodsRead {
  const read = readPodDocuments(text);
  if (read.ok) return read.value;
  throw new Failure(EXIT.badData, formatFinding(read.finding));
}

function relative(path: string): string {
  return path.replace(/^\/+/, '');
}
