import type { Warning } from '../../cgroup/warning.ts';
import type { Finding, TextFile } from '../../config/finding.ts';
import type { Pod } from '../model/pod.ts';

export interface PodsRead {
  readonly pods: readonly Pod[];
  readonly warnings: readonly Warning[];
}

/** Pods, or the first thing that is wrong: `message` is the finding as a sentence. Assignable to Parsed<PodsRead>. */
export type PodDocumentsReading =
  | { readonly ok: true; readonly value: PodsRead }
  | { readonly ok: false; readonly message: string; readonly finding: Finding };

export function readPodDocuments(_input: TextFile): PodDocumentsReading {
  throw new Error('not built yet');
}
