import type { NodeQosSettings } from '../../config/nodeqos/settings.ts';
import type { AgentMode } from '../model/agent-event.ts';
import type { ChosenEvictor } from './evictor-choice.ts';

/** Whether evictions are real, and why not. */
export interface EvictionStanding {
  readonly evictions: 'on' | 'dry' | 'off';
  readonly because?: string;
  /** Set where the configuration asks for what must not be: `run` does not start with it (status 78). */
  readonly refusal?: string;
}

export interface StandingInputs {
  readonly eviction: NodeQosSettings['eviction'];
  readonly mode: AgentMode;
  /** By what a live kubelet was recognised; undefined where there is none. */
  readonly kubelet: string | undefined;
  readonly evictor: ChosenEvictor;
}

/** How evictions stand, beside a live kubelet and alone. */
export function evictionStanding(_inputs: StandingInputs): EvictionStanding {
  throw new Error('not yet');
}
