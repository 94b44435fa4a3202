import { EXIT, Failure } from '../../exit.ts';
import type { Observation } from '../../model/observation.ts';
import type { Pod } from '../../model/pod.ts';
import { nodeEyes } from '../../observe/node-eyes.ts';
import { type NodeRoot, openRoot, requireCgroup2 } from '../../observe/root.ts';
import { systemClock } from '../../observe/system-clock.ts';
import type { SeenPods } from '../../ports.ts';
import { sayWarnings } from '../console/document.ts';
import type { Io } from '../console/io.ts';
import { loadConfiguration } from '../inputs/configuration.ts';
import type { NodeInputs } from '../inputs/inputs.ts';
import { type InputArguments, loadSetup, type NodeSetup } from '../inputs/node-setup.ts';
import { podsNotKnown } from '../inputs/pod-input.ts';
import { peersOf } from '../inputs/pods-here.ts';
import { loadReadings, loadUsage } from '../inputs/statistics.ts';
import { type StatsSource, statsSource } from '../inputs/stats-source.ts';
import { type WatchedPods, watchedPods } from '../inputs/watched-pods.ts';
import { type WatchedSummary, watchedSummary } from '../inputs/watched-summary.ts';

/** A node that is looked at again and again. */
export interface Recorder {
  /** undefined: its statistics could not be read this time, and a person was told so. */
  look(nowMs: number): Observation | undefined;
  /** Asks nobody any more. */
  close(): void;
}

type RecorderArguments = Omit<InputArguments, 'offline'>;

/** Opens a node for looking. Throws Failure where it, its configurations or its pods cannot be read to begin with. */
export async function recorder(args: RecorderArguments, io: Io, nowMs: number): Promise<Recorder> {
  const root = await openRoot({ root: args.root, cgroupRoot: args.cgroupRoot });
  const all = { ...args, offline: false };
  const configuration = loadConfiguration(all, root, io);
  const source = statsSource(args.stats, { root, nodeqos: configuration.nodeqos });
  if (source.kind === 'cgroup') requireCgroup2(root);
  const setup = loadSetup(all, root, configuration);
  const peers = peersOf(setup, io.env, systemClock);
  const watched = watchedPods(setup, peers, () => undefined);
  const summary = watchedSummary(source, peers);
  const close = (): void => {
    watched.stop();
    summary?.stop();
    peers.close();
  };
  const first = await firstList(watched, nowMs);
  if (first instanceof Failure) {
    close();
    throw first;
  }
  sayWarnings(io, [...setup.machineWarnings, ...watched.warnings(), ...setup.driverWarnings]);
  await summary?.first();
  const pods = watched.list;
  const look =
    source.kind === 'cgroup' ? looksAtTree(root, setup, pods) : looksAtSummary(source, root, setup, summary);
  return {
    close,
    look: (nowMs) => {
      const { pods: list = first, ageMs, lack } = pods.look(nowMs);
      if (lack !== undefined) io.warn(`${lack}; the pods that were read before are recorded`);
      const seen = orNothing(() => look(list, nowMs), io);
      if (seen === undefined) return undefined;
      if (seen.layout !== 'single') io.warn(OTHER_FILESYSTEMS);
      return { ...seen, atMs: nowMs, pods: list, ...(ageMs === 0 ? {} : { podsAgeMs: ageMs }) };
    },
  };
}

async function firstList(watched: WatchedPods, nowMs: number): Promise<readonly Pod[] | Failure> {
  const failure = await watched.first();
  const { pods, lack } = watched.list.look(nowMs);
  return failure ?? pods ?? (lack === undefined ? podsNotKnown() : new Failure(EXIT.badData, lack));
}

const OTHER_FILESYSTEMS =
  'images or writable layers have a filesystem of their own here; a trace is replayed as if all were on one';

type Look = (pods: readonly Pod[], nowMs: number) => Pick<Observation, 'readings' | 'usage' | 'layout'>;

/** As the agent itself looks. */
function looksAtTree(root: NodeRoot, { layout, machine }: NodeSetup, pods: SeenPods): Look {
  const eyes = nodeEyes({ root, layout, machine, pods });
  return (list, nowMs) => {
    const { readings, layout: filesystems } = eyes.signals(nowMs);
    return { readings, usage: eyes.usage(list), layout: filesystems };
  };
}

/** As somebody else looked, who writes the summary anew from time to time. */
function looksAtSummary(
  source: StatsSource,
  root: NodeRoot,
  setup: NodeSetup,
  watched: WatchedSummary | undefined,
): Look {
  return (pods) => {
    const { summary, lack } = watched?.now() ?? {};
    if (lack !== undefined && summary === undefined) throw new Failure(EXIT.unavailable, lack);
    const told = summary === undefined ? {} : { summary };
    const { nodeName } = setup.places;
    const inputs: NodeInputs = { ...setup, nodeName, root, podsRead: undefined, pods, ...told, warnings: [] };
    const { usage, layout } = loadUsage(source, inputs);
    return { readings: loadReadings(source, inputs).readings, usage, layout };
  };
}

/** What is missing for a moment leaves a gap in the trace and does not end it. */
function orNothing<T>(look: () => T, io: Io): T | undefined {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof Failure) || error.status === EXIT.bug) throw error;
    io.warn(`${error.message}; nothing is recorded until it can be read`);
    return undefined;
  }
}
