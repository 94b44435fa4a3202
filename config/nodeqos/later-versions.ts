import type { Fault } from '../fault.ts';
import type { NodeQosDocument } from './schema.ts';

/** Sources of pods that have a place in the format and nobody who reads them yet. */
const POD_SOURCES: readonly (readonly [RegExp, string])[] = [
  [/^api$/, 'from the API server'],
  [/^kubelet:/, 'from a kubelet'],
  [/^cri:/, 'from a container runtime'],
];

/**
 * What is right in the format and not in this version: whoever writes it should hear of it before the agent does not start, or
 * evicts nobody.
 */
export function laterVersions({ pods, stats, eviction }: NodeQosDocument): readonly Fault[] {
  const faults: Fault[] = [];
  const from = POD_SOURCES.find(([form]) => form.test(pods.source))?.[1];
  if (from !== undefined) {
    const message = `this version does not read pods ${from}: run ends with 78 unless --pods names a file; write file:PATH, dir:PATH, or auto for the manifests of static pods`;
    faults.push({ path: ['pods', 'source'], message });
  }
  if (stats.source.startsWith('kubelet:')) {
    const message =
      'this version does not ask a kubelet: run ends with 78 unless --stats names another source; write cgroup, or summary:PATH for a saved /stats/summary';
    faults.push({ path: ['stats', 'source'], message });
  }
  if (eviction.evictor === 'api' || eviction.evictor === 'cri') {
    const message = `this version does not have the evictor ${eviction.evictor}: evictions of run stay dry, whatever the mode is; write auto or cgroup for the one that ends a pod by its cgroup`;
    faults.push({ path: ['eviction', 'evictor'], message });
  }
  return faults;
}
