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
}
