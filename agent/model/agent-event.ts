import type { LimitWriter } from '../../cgroup/limit-port.ts';
import type { MemoryFile } from '../../cgroup/memory-files.ts';
import type { NodeCondition } from '../../config/signal.ts';
import type { EvictionOrder, EvictionOutcome, Withheld, WithheldForTaint } from './eviction.ts';

export type AgentMode = 'dry-run' | 'enforce';

/** What became of one value; `wanted` is a write that dry-run kept from happening. */
export type WriteOutcome = 'written' | 'failed' | 'vanished' | 'wanted';

/** Whose limit it is: a container's, a pod's (no container), or a tier's, the node's or nobody's that is known (neither). */
export interface LimitOwner {
  /** `namespace/name`. */
  readonly pod: string | null;
  readonly container: string | null;
}

/** A part of the agent that can fail by itself while the others go on. */
export type AgentPart =
  | 'audit'
  | 'cgroups'
  | 'configuration'
  | 'events'
  | 'eviction'
  | 'journal'
  | 'listen'
  | 'lock'
  | 'mount'
  | 'native'
  | 'node'
  | 'notify'
  | 'pending'
  | 'pods'
  | 'statistics'
  | 'taints'
  | 'trace'
  | 'unlisted'
  | 'writer';

/** Whether evictions are real, and why not. */
export interface ToldStanding {
  readonly evictions: 'on' | 'dry' | 'off';
  /** Absent when they are on. */
  readonly because?: string;
  /** Of those for taints; absent where there are none. */
  readonly taints?: { readonly evictions: 'on' | 'dry'; readonly because?: string };
}

/**
 * Something that the agent did, decided, or could not do: one is a line of the log, a record of the audit log (the kinds of
 * the contract) and a step of the metrics. Nothing that merely is, such as a reading, is an event.
 */
export type AgentEvent =
  | {
      readonly kind: 'start';
      readonly pid: number;
      readonly version: string;
      /** Facts about the host for the first record: kernel, memory, cgroup driver, root, thresholds. */
      readonly host: Readonly<Record<string, unknown>>;
      readonly standing: ToldStanding;
    }
  /** How evictions stand, where the mode alone does not say it: at the start, and whenever that changes. */
  | (ToldStanding & { readonly kind: 'standing' })
  | {
      readonly kind: 'reload';
      readonly ok: boolean;
      /** Effective settings that changed, as `key: old -> new`; or the one sentence of the refusal. */
      readonly changes: readonly string[];
      readonly error?: string;
    }
  | {
      readonly kind: 'condition';
      readonly type: NodeCondition;
      readonly status: boolean;
      /** The signals whose thresholds stand behind it, sorted; empty when it ends. */
      readonly signals: readonly string[];
    }
  | {
      readonly kind: 'plan-applied';
      readonly written: number;
      readonly failed: number;
      readonly wanted: number;
    }
  | (LimitOwner & {
      readonly kind: 'write';
      readonly cgroup: string;
      readonly file: MemoryFile;
      /** As the file read; null where that is not known. */
      readonly from: string | null;
      readonly to: string;
      readonly reason: string;
      readonly outcome: WriteOutcome;
      readonly error?: string;
      /** Through whom it was written, where there is more than one way. */
      readonly writer?: LimitWriter;
      /** Why it was written directly although it is wanted through systemd. */
      readonly because?: string;
    })
  | (LimitOwner & {
      readonly kind: 'drift';
      readonly cgroup: string;
      readonly file: MemoryFile;
      readonly wrote: string;
      readonly found: string;
      /** Set when nodeqos stops repairing it for a while: who is likely writing, and until when it is left alone. */
      readonly leftAlone?: { readonly likelyWriter: string; readonly forMs: number };
    })
  /** Written, and flushed, before a process is signalled; the eviction record with the outcome follows. */
  | { readonly kind: 'evicting'; readonly order: EvictionOrder; readonly evictor: string }
  | {
      readonly kind: 'eviction';
      readonly order: EvictionOrder;
      readonly evictor: string;
      readonly outcome: EvictionOutcome;
      /** From the sample that crossed the threshold to the call of the evictor. */
      readonly reactionMs: number | undefined;
      readonly tookMs: number;
    }
  | ({ readonly kind: 'no-eviction' } & (Withheld | WithheldForTaint))
  /** A part cannot do its work, said once per change of `sentence`; `over` when it can again. */
  | { readonly kind: 'trouble'; readonly part: AgentPart; readonly sentence: string; readonly over: boolean }
  | { readonly kind: 'stop'; readonly reason: string };

/** An event with its time. */
export interface TimedEvent {
  readonly event: AgentEvent;
  /** Wall clock, milliseconds since the epoch. */
  readonly wallMs: number;
  readonly mode: AgentMode;
}
