import { setMaxListeners } from 'node:events';
import { hostProcesses } from '../../act/evict/host-processes.ts';
import { PendingFile } from '../../act/evict/pending-file.ts';
import { runningPodsOnly } from '../../decide/running-pods.ts';
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
import { statsSource } from '../inputs/stats-source.ts';
import { firstPods } from '../inputs/watched-pods.ts';
import { type WritablePlaces, writablePlaces } from '../memory-qos/write-session.ts';
import { type AnswerParts, prepareAnswers, type RunAnswers } from './answers.ts';
import { comparable, loadAgain } from './load-again.ts';
import { NodeHold } from './node-hold.ts';
import type { RunArguments } from './run-settings.ts';
import { agentSetup, memoryQosRules, type RunSetup, readRunSetup, type SetupParts } from './setup.ts';
import { openSinks, type RunSinks } from './sinks.ts';

/** Who hears of the agent, and by which address. */
interface Outlets {
  readonly announcer: Announcer;
  readonly sinks: RunSinks;
  readonly answers: RunAnswers;
}

/** Everything that one run of the agent consists of. */
export interface Assembly extends Outlets {
  readonly parts: SetupParts;
  /** What the agent was started with. */
  readonly first: RunSetup;
  /** What it goes by now. */
  readonly inForce: { run: RunSetup };
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
  const parts: SetupParts = { args, root, io, clock, processes };
  const first = readRunSetup(parts);
  firstPods(first.pods, clock.nowMs());
  first.taints.first(clock.nowMs());
  const inForce = { run: first };
  const places = writablePlaces(root, first.settings.stateDir);
  const startedAtMs = clock.wallMs();
  const answerParts: AnswerParts = {
    stateDir: places.stateFolder,
    clock,
    startedAtMs: clock.nowMs(),
    agent: () => agent,
  };
  const outlets = await openOutlets(parts, first, places, answerParts);
  const { announcer } = outlets;
  const limitWriter = () => inForce.run.settings.memoryQos.writer;
  const hold = new NodeHold({ root, places, clock, announcer, limitWriter });
  hold.begin();

  const wakeup = new Wakeup(clock);
  const stopping = new AbortController();
  // Every eviction and every wake source listens for the end, and Node.js takes more than ten for a leak.
  setMaxListeners(0, stopping.signal);
  const pending = new PendingFile(places.stateFolder, readBootId(root.files) ?? null);
  const wake = (): void => {
    wakeup.wake();
  };
  const ring = new TraceRing({
    file: `${places.stateFolder}/trace.jsonl`,
    maxBytes: first.settings.trace.maxBytes,
  });
  let traced: Observation | undefined;
  const trace = (observation: Observation) => {
    const { nodeqos } = inForce.run.node;
    const isFromTree = statsSource(args.stats, { root, nodeqos }).kind === 'cgroup';
    // A summary says of a pod that it has no statistics yet; the tree, that it does not run.
    traced = isFromTree ? runningPodsOnly(traced, observation) : observation;
    return ring.write(traced);
  };
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
  const load = () => Promise.resolve(loadAgain(parts, { hold, memoryQos, inForce }));
  const reload: Reload = new Reload({ agent, announcer, manager, clock, load }, comparable(first));
  const turns = { evictions, memoryQos, reload, agent, pressureTrigger };
  const holding = { hold, pending, wakeup, stopping };
  return { ...outlets, parts, first, inForce, native, manager, answerParts, ...holding, ...turns };
}

async function openOutlets(
  { clock, io }: SetupParts,
  { settings }: RunSetup,
  { stateFolder }: WritablePlaces,
  answerParts: AnswerParts,
): Promise<Outlets> {
  const sinks = openSinks(settings, stateFolder, io, ({ sentence, over }) => {
    void announcer.trouble('audit', over ? undefined : sentence);
  });
  const answers = await prepareAnswers(settings.listen, answerParts);
  const announcer = new Announcer([...sinks.sinks, ...answers.sinks], clock, settings.mode);
  return { announcer, sinks, answers };
}
