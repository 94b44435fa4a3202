import type { EvictionStanding } from '../beside-kubelet.ts';

/** Whether evictions for taints are real, and why not. */
export interface TaintStanding {
  readonly evictions: 'on' | 'dry';
  /** Absent when they are on. */
  readonly because?: string;
}

/** What decides on it beside how evictions stand. */
export interface TaintStandingInputs {
  /** By what a live kubelet was recognised, as a sentence; undefined where there is none. */
  readonly kubelet: string | undefined;
  /** Such as `file:PATH`, `api` or `auto`. */
  readonly podSource: string;
}

/**
 * How evictions for NoExecute taints stand. A cluster has a controller that deletes such pods, with a clock of its own: beside
 * one they are dry, whatever `eviction.alongsideKubelet` says, since thresholds can be divided between two agents and taints
 * cannot.
 */
export function taintStanding(
  standing: EvictionStanding,
  { kubelet, podSource }: TaintStandingInputs,
): TaintStanding {
  if (kubelet !== undefined) {
    return { evictions: 'dry', because: `${kubelet}, and a cluster has a controller that evicts for taints` };
  }
  if (podSource === 'api' || podSource.startsWith('kubelet:')) {
    return {
      evictions: 'dry',
      because: `pods come from ${podSource}, and a cluster has a controller that evicts for taints`,
    };
  }
  if (standing.evictions === 'on') return { evictions: 'on' };
  return standing.because === undefined
    ? { evictions: 'dry' }
    : { evictions: 'dry', because: standing.because };
}
