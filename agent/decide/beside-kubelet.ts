import type { NodeQosSettings } from '../../config/nodeqos/settings.ts';
import type { AgentMode } from '../model/agent-event.ts';
import type { ChosenEvictor } from './evictor-choice.ts';

/** Whether evictions are real, and why not. */
export interface EvictionStanding {
  readonly evictions: 'on' | 'dry' | 'off';
  /** Absent when they are on. */
  readonly because?: string;
  /** Set where the configuration asks for what must not be: `run` does not start with it (status 78). */
  readonly refusal?: string;
}

/** What decides on it. */
export interface StandingInputs {
  readonly eviction: NodeQosSettings['eviction'];
  readonly mode: AgentMode;
  /** By what a live kubelet was recognised, as a sentence; undefined where there is none. */
  readonly kubelet: string | undefined;
  readonly evictor: ChosenEvictor;
}

/**
 * How evictions stand, beside a live kubelet and alone. Two agents on the same thresholds take two victims, and a kubelet
 * starts again what was killed behind its back; so beside one, evictions are real only where the operator said so, gave
 * thresholds of nodeqos' own, and has an evictor that the kubelet is told by.
 */
export function evictionStanding({ eviction, mode, kubelet, evictor }: StandingInputs): EvictionStanding {
  if (!eviction.enabled) {
    return { evictions: 'off', because: 'eviction.enabled is false' };
  }
  const refusal = kubelet === undefined ? undefined : refusalBeside(kubelet, eviction, evictor);
  if (refusal !== undefined) {
    return { evictions: 'dry', because: refusal, refusal };
  }
  const because = whyDry({ eviction, mode, kubelet, evictor });
  return because === undefined ? { evictions: 'on' } : { evictions: 'dry', because };
}

function refusalBeside(
  kubelet: string,
  { alongsideKubelet, thresholds }: NodeQosSettings['eviction'],
  evictor: ChosenEvictor,
): string | undefined {
  if (alongsideKubelet === 'observe') {
    return undefined;
  }
  const asked = `${kubelet}, and eviction.alongsideKubelet is act`;
  if (thresholds === undefined) {
    return `${asked}: that needs eviction.thresholds, since two agents on the same thresholds take two victims`;
  }
  return evictor.name === 'cgroup'
    ? `${asked}: that needs an evictor other than cgroup, since the kubelet starts again what is killed behind its back`
    : undefined;
}

function whyDry({ eviction, mode, kubelet, evictor }: StandingInputs): string | undefined {
  if (mode === 'dry-run') {
    return 'the mode is dry-run';
  }
  if (kubelet !== undefined && eviction.alongsideKubelet === 'observe') {
    return `${kubelet}, which evicts by itself (eviction.alongsideKubelet: observe)`;
  }
  return evictor.lack ?? (evictor.name === 'dry' ? 'eviction.evictor is dry' : undefined);
}
