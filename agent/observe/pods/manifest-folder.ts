import { type Warning, warning } from '../../../cgroup/warning.ts';
import { formatFinding, type TextFile } from '../../../config/finding.ts';
import { type Parsed, parsed, refused } from '../../../config/result.ts';
import { readFirstDocument, type StructuredDocument } from '../../../config/text/document.ts';
import { EXIT, Failure } from '../../exit.ts';
import type { Pod, Toleration } from '../../model/pod.ts';
import type { PodsRead } from '../../model/pods-read.ts';
import { FieldFault } from '../fields.ts';
import { failedRead, type InputTree } from '../input-file.ts';
import { findingOf } from './manifest-objects.ts';
import { podOfDocument } from './pod-documents.ts';

/** The most that the kubelet reads of one manifest, in characters here: 10 MiB. */
const LONGEST_MANIFEST = 10 * 1024 * 1024;

/** What the kubelet adds to every pod from a file, so that no taint drives it away. */
const TOLERATES_EVICTION: Toleration = { key: '', operator: 'Exists', value: '', effect: 'NoExecute' };

/**
 * The static pods of a manifest folder, as the kubelet reads it: each file directly in it whose name does not start
 * with a dot, by name, its first document, which must be one Pod. What is no such file is left out with a warning and
 * ends nothing. `nodeName`, where it is known, becomes the pods' node and, in small letters, the end of their names. A
 * manifest without UID stays without: the kubelet's own is a hash that is read, not guessed. Throws a Failure (66, 77,
 * 74) where the folder itself cannot be read.
 */
export function readManifestFolder(folder: string, tree: InputTree, nodeName: string | undefined): PodsRead {
  const pods: Pod[] = [];
  const warnings: Warning[] = [];
  for (const name of manifestNames(folder, tree)) {
    const manifest = readManifest(`${folder}/${name}`, tree);
    if (manifest.ok) {
      pods.push(asStaticPod(manifest.value, nodeName));
    } else {
      warnings.push(warning('manifest-left-out', `left out of the manifests: ${manifest.message}`));
    }
  }
  return { pods, warnings };
}

function manifestNames(folder: string, tree: InputTree): readonly string[] {
  const name = tree.nameOf(folder);
  const read = tree.readDirectory(folder);
  switch (read.kind) {
    case 'read':
      return read.files.filter((file) => !file.startsWith('.'));
    case 'missing':
      throw new Failure(EXIT.noInput, `${name}: there is no such folder; check the path after dir:`);
    case 'failed':
      throw read.code === 'ENOTDIR'
        ? new Failure(EXIT.noInput, `${name}: this is not a folder; name a file as file:${name}`)
        : failedRead(name, read.code);
  }
}

function readManifest(path: string, tree: InputTree): Parsed<Pod> {
  const file = tree.nameOf(path);
  const read = tree.readFile(path);
  switch (read.kind) {
    case 'read':
      return read.text.length > LONGEST_MANIFEST
        ? refused(`${file}: it is longer than the 10 MiB that the kubelet reads of a manifest`)
        : podOfText({ file, text: read.text });
    case 'missing':
      return refused(`${file}: it went away while it was read`);
    case 'failed':
      return refused(failedRead(file, read.code).message);
  }
}

function podOfText(input: TextFile): Parsed<Pod> {
  const reading = readFirstDocument(input);
  if ('finding' in reading) {
    return refused(formatFinding(reading.finding));
  }
  const { document } = reading;
  return document === undefined ? refused(`${input.file}: the file is empty`) : podAt(input.file, document);
}

function podAt(file: string, document: StructuredDocument): Parsed<Pod> {
  try {
    return parsed(podOfDocument(document.value));
  } catch (error) {
    if (error instanceof FieldFault) {
      return refused(formatFinding(findingOf(file, document, error)));
    }
    throw error;
  }
}

function asStaticPod(pod: Pod, nodeName: string | undefined): Pod {
  const tolerations = [...pod.tolerations, TOLERATES_EVICTION];
  const named = nodeName === undefined ? {} : { nodeName, name: `${pod.name}-${nodeName.toLowerCase()}` };
  return { ...pod, ...named, tolerations, isStatic: true, isMirror: false };
}
