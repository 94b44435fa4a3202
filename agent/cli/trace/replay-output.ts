import type { EvictionPolicy } from '../../decide/eviction/policy.ts';
import type { Observation } from '../../model/observation.ts';
import { jsonText } from '../../report/json-text.ts';
import {
  type ComparisonSummary,
  isDiskShort,
  isSameLook,
  NOTHING_COMPARED,
  withLooks,
} from '../../whatif/compare.ts';
import { Replay, type ReplayedLook } from '../../whatif/replay.ts';
import type { Io } from '../console/io.ts';
import { ComparisonTable, ReplayTable } from './replay-table.ts';

/** Takes the observations of a trace and prints what they lead to. */
export interface ReplayOutput {
  look(observation: Observation): void;
  /** Prints what is ready. */
  flush(): void;
  /** Prints the rest. */
  end(): void;
}

interface NamedPolicy {
  readonly name: string;
  readonly policy: EvictionPolicy;
}

/** The form of one policy, or of two that are compared. Says once that nodeqos collects no garbage, where it matters. */
export function replayOutput(
  format: 'table' | 'jsonl',
  io: Io,
  policies: readonly NamedPolicy[],
): ReplayOutput {
  const [first, second] = policies.map(({ name, policy }) => ({ name, replay: new Replay(policy) }));
  if (first === undefined) throw new Error('a replay needs a policy');
  const look = (replay: Replay, observation: Observation): ReplayedLook => {
    const replayed = replay.look(observation);
    if (isDiskShort(replayed)) io.warn(NO_GARBAGE);
    return replayed;
  };
  if (second === undefined) {
    const sink = format === 'jsonl' ? lines(io) : table(io);
    return {
      ...sink,
      look: (observation) => {
        sink.add(look(first.replay, observation));
      },
    };
  }
  const names = { a: first.name, b: second.name };
  const sink = format === 'jsonl' ? comparedLines(io) : comparedTable(io, names);
  return {
    ...sink,
    look: (observation) => {
      sink.add(look(first.replay, observation), look(second.replay, observation));
    },
  };
}

const NO_GARBAGE =
  'nodeqos collects no garbage: a kubelet under the same disk threshold first removes dead containers and unused images, and may then evict nobody';

type Sink<Looks extends readonly ReplayedLook[]> = Omit<ReplayOutput, 'look'> & {
  readonly add: (...looks: Looks) => void;
};

function lines(io: Io): Sink<[ReplayedLook]> {
  const ready = new ReadyLines(io);
  return {
    add: (look) => {
      ready.add(look);
    },
    flush: () => {
      ready.flush();
    },
    end: () => undefined,
  };
}

function comparedLines(io: Io): Sink<[ReplayedLook, ReplayedLook]> {
  const ready = new ReadyLines(io);
  let summary: ComparisonSummary = NOTHING_COMPARED;
  return {
    add: (a, b) => {
      summary = withLooks(summary, a, b);
      if (!isSameLook(a, b)) ready.add({ a, b });
    },
    flush: () => {
      ready.flush();
    },
    end: () => {
      ready.add({ summary });
      ready.flush();
    },
  };
}

/** Lines are written many at a time: a call of the system for each would take longer than deciding. */
class ReadyLines {
  readonly #io: Io;
  #texts: string[] = [];

  constructor(io: Io) {
    this.#io = io;
  }

  add(document: object): void {
    this.#texts.push(`${jsonText(document, 0)}\n`);
  }

  flush(): void {
    if (this.#texts.length > 0) this.#io.out(this.#texts.join(''));
    this.#texts = [];
  }
}

function table(io: Io): Sink<[ReplayedLook]> {
  const rows = new ReplayTable();
  return {
    add: (look) => {
      rows.add(look);
    },
    flush: () => undefined,
    end: () => {
      io.out(rows.text(io.columns));
    },
  };
}

function comparedTable(
  io: Io,
  names: { readonly a: string; readonly b: string },
): Sink<[ReplayedLook, ReplayedLook]> {
  const rows = new ComparisonTable(names);
  return {
    add: (a, b) => {
      rows.add(a, b);
    },
    flush: () => undefined,
    end: () => {
      io.out(rows.text(io.columns));
    },
  };
}
