import { setMaxListeners } from 'node:events';
import { hostProcesses } from '../../act/evict/host-processes.ts';
import { PendingFile } from '../../act/evict/pending-file.ts';
import { runningPodsOnly } from '../../decide/running-pods.ts';
import { EXIT, Failure } from '../../exit.ts';
import type { Observation } from '../../model/observation.ts';
import { loadNative } from '../../native/load-native.ts';
import type { Native, NativeLack } from '../../native/native.ts';
import { readBootId } from '../../observe/machine.ts';
import type { NodeRoot } from '../../observe/root.ts';
import { systemClock } from '../../observe/system-clock.ts';
import type { ServiceManager } from '../../ports.ts';
import { serviceManager } from '../../report/sd-notify.ts';
import { TraceRing } from '../../report/trace/trace-ring.ts';
import { Agent, type StandingFigures } from '../../run/agent.ts';
import { Announcer } from '../../run/announcer.ts';
import { EvictionTurn } from '../../run/eviction-turn.ts';
import { MemoryQosLoop } from '../../run/memory-qos-loop.ts';
import { Reload } from '../../run/reload.ts';
import { Wakeup } from '../../run/wakeup.ts';
import type { Io } from '../console/io.ts';
import { VERSION } from '../console/version.ts';
import type { Peers } from '../inputs/peers.ts';
import { statsSource } from '../inputs/stats-source.ts';
import { type WritablePlaces, writablePlaces } from '../memory-qos/write-session.ts';
import { type AnswerParts, prepareAnswers, type RunAnswers } from './answers.ts';
import { type ClusterSinks, clusterSinks } from './cluster.ts';
import { comparable, loadAgain } from './load-again.ts';
import { NodeHold } from './node-hold.ts';
import type { RunArguments } from './run-settings.ts';
import { SampleTimes } from './sample-times.ts';
import {
  agentSetup,
  letGo,
  memoryQosRules,
  type RunSetup,
  readRunSetup,
  type SetupParts,
  standingOf,
} from './setup.ts';
import { openSinks, type RunSinks } from './sinks.ts';
import { StandingNews } from './standing-news.ts';

/** Who hears of the agent, and by which address. */
interface Outlets {
  readonly announcer: Announcer;
  readonly sinks: RunSinks;
  readonly answers: RunAnswers;
  readonly cluster: ClusterSinks;
  readonly standingNews: StandingNews;
}

/** Everything that one run of the agent consists of. */
export interface Assembly extends Outlets {
  readonly parts: SetupParts;
  /** What the agent was started with. */
  readonly first: RunSetup;
  /** What it goes by now. */
  readonly inForce: { run: RunSetup };
  /** Those who were asked under former settings. */
  readonly formerPeers: readonly Peers[];
  readonly native: Native | NativeLack;
  readonly manager: ServiceManager;
  readonly answerParts: AnswerParts;
  readonly hold: NodeHold;
  readonly pending: PendingFile;
  readonly wakeup: Wakeup;
  /** Aborted when the agent ends. */
  readonly stopping: AbortController;
  readonly evictions: EvictionTurn;
  readonly memoryQos: MemoryQosLoop;
  readonly reload: Reload;
  readonly agent: Agent;
  readonly pressureTrigger: { isArmed: boolean };
}

/**
 * Puts the agent together from its adapters, and takes the lock. Nothing is looked at yet but the configurations, the machine
 * and the pods. Throws Failure where the agent cannot start at all.
 */
export async function assemble(args: RunArguments, root: NodeRoot, io: Io): Promise<Assembly> {
  const native = await loadNative();
  const clock = systemClock;
  const processes = root.kind === 'host' && !root.isFake ? hostProcesses(native) : undefined;
  const wakeup = new Wakeup(clock);
  const wake = (): void => {
    wakeup.wake();
  };
  const parts: SetupParts = { args, root, io, clock, times: new SampleTimes(), processes, wake };
  const first = await firstSetup(parts);
  const inForce = { run: first };
  const places = writablePlaces(root, first.settings.stateDir);
  const startedAtMs = clock.wallMs();
  const answerParts: AnswerParts = {
    stateDir: places.stateFolder,
    clock,
    startedAtMs: clock.nowMs(),
    agent: () => agent,
  };
  const outlets = await openOutlets(parts, inForce, places, answerParts);
  const { announcer } = outlets;
  const limitWriter = () => inForce.run.settings.memoryQos.writer;
  const hold = new NodeHold({ root, places, clock, announcer, limitWriter });
  hold.begin();

  const stopping = new AbortController();
  // Every eviction and every wake source listens for the end, and Node.js takes more than ten for a leak.
  setMaxListeners(0, stopping.signal);
  const pending = new PendingFile(places.stateFolder, readBootId(root.files) ?? null);
  const trace = tracing(parts, inForce, places);
  const evictions = new EvictionTurn({ clock, announcer, pending, trace, wake, signal: stopping.signal });
  const limits = () => hold.limits;
  const memoryQos = new MemoryQosLoop(
    { tree: root.cgroups, limits, announcer },
    memoryQosRules(first, parts),
  );
  const manager = serviceManager(io.env, native);
  const pressureTrigger = { isArmed: false };
  const figures = (): StandingFigures => ({
    pid: process.pid,
    version: VERSION,
    startedAtMs,
    psiTrigger: pressureTrigger.isArmed,
    ...reload.figures,
  });
  const agent: Agent = new Agent(
    { clock, announcer, evictions, figures },
    agentSetup(first, parts, hold, memoryQos),
  );
  const formerPeers: Peers[] = [];
  const lasting = { hold, memoryQos, inForce, formerPeers };
  const load = () => Promise.resolve(loadAgain(parts, lasting));
  const reload: Reload = new Reload({ agent, announcer, manager, clock, load }, comparable(first));
  const turns = { evictions, memoryQos, reload, agent, pressureTrigger };
  const holding = { hold, pending, wakeup, stopping };
  return {
    ...outlets,
    parts,
    first,
    inForce,
    formerPeers,
    native,
    manager,
    answerParts,
    ...holding,
    ...turns,
  };
}

/** Keeps observations as the settings at the start say; gives a sentence where one could not be kept. */
function tracing(
  { args, root }: SetupParts,
  inForce: Assembly['inForce'],
  { stateFolder }: WritablePlaces,
): (observation: Observation) => string | undefined {
  const ring = new TraceRing({
    file: `${stateFolder}/trace.jsonl`,
    maxBytes: inForce.run.settings.trace.maxBytes,
  });
  let traced: Observation | undefined;
  return (observation) => {
    const { nodeqos } = inForce.run.node;
    const isFromTree = statsSource(args.stats, { root, nodeqos }).kind === 'cgroup';
    // A summary says of a pod that it has no statistics yet; the tree, that it does not run.
    traced = isFromTree ? runningPodsOnly(traced, observation) : observation;
    return ring.write(traced);
  };
}

/**
 * The setup with its first list of pods, by whose source it is known who evicts. A source of files that does not answer at the
 * start is a mistake that somebody should hear of; one that is asked over a connection may answer later, and until then the
 * agent goes on without, unless there is no later. Throws Failure.
 */
async function firstSetup(parts: SetupParts): Promise<RunSetup> {
  const read = readRunSetup(parts);
  try {
    const [failure] = await Promise.all([read.pods.first(), read.summary?.first()]);
    if (failure !== undefined && (parts.args.once || !read.pods.isRemote)) throw failure;
    const { pods, lack } = read.pods.list.look(parts.clock.nowMs());
    if (parts.args.once && pods === undefined && lack !== undefined) throw new Failure(EXIT.badData, lack);
    read.taints.first(parts.clock.nowMs());
    const standing = standingOf(read, parts);
    if (standing.refusal !== undefined) throw new Failure(EXIT.badConfiguration, standing.refusal);
    return { ...read, standing };
  } catch (error) {
    letGo(read);
    throw error;
  }
}

async function openOutlets(
  parts: SetupParts,
  inForce: Assembly['inForce'],
  { stateFolder }: WritablePlaces,
  answerParts: AnswerParts,
): Promise<Outlets> {
  const { clock, io } = parts;
  const { settings } = inForce.run;
  const sinks = openSinks(settings, stateFolder, io, ({ sentence, over }) => {
    void announcer.trouble('audit', over ? undefined : sentence);
  });
  const answers = await prepareAnswers(settings.listen, answerParts);
  const cluster = clusterSinks(inForce, parts, async (part, sentence) => {
    await announcer.trouble(part, sentence);
  });
  const all = [...sinks.sinks, ...answers.sinks, ...cluster.sinks];
  const announcer = new Announcer(all, clock, settings.mode);
  return { announcer, sinks, answers, cluster, standingNews: new StandingNews(announcer) };
}
