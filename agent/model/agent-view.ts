import type { NodeCondition, Signal } from '../../config/signal.ts';
import type { AgentMode } from './agent-event.ts';

/** What `status` tells of the agent that runs on a node. What is absent is not known: it runs and does not answer. */
export interface AgentView {
  readonly pid: number;
  readonly version?: string;
  readonly mode?: AgentMode;
  /** Whether its evictions are real, and if not, why. */
  readonly evictions?: 'on' | 'dry' | 'off';
  readonly evictionsBecause?: string;
  /** RFC 3339. */
  readonly startedAt?: string;
  readonly lastTickAt?: string;
  readonly configurationValid?: boolean;
  /** Why the configuration on disk is not the one in force. */
  readonly configurationError?: string;
  readonly psiTrigger?: boolean;
  /** What does not work at the moment, a sentence each; empty: nothing is known to be wrong. */
  readonly troubles?: readonly string[];
}

/** What an agent remembers of one threshold, as it tells others: amounts are as exact as a double. */
export interface RememberedThreshold {
  readonly signal: Signal;
  readonly type: 'hard' | 'soft';
  readonly value: { readonly quantity: number } | { readonly percentage: number };
  /** Milliseconds since the epoch; null: not met. */
  readonly metSinceMs: number | null;
  readonly inGrace: boolean;
}

/** What the running agent knows of its node that one look cannot tell. */
export interface AgentMemory {
  readonly view: AgentView;
  /** With their transition period. */
  readonly conditions: readonly NodeCondition[];
  readonly thresholds: readonly RememberedThreshold[];
}
