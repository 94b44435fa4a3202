import { readCgroupSnapshot } from '../../../cgroup/snapshot.ts';
import { CAPACITY_NOT_KNOWN } from '../../../cgroup/throttling.ts';
import type { NodeQosSettings } from '../../../config/nodeqos/settings.ts';
import { evictionThresholds } from '../../../config/policy.ts';
import { dryEvictor } from '../../act/evict/evict-dry.ts';
import type { Processes } from '../../act/evict/processes.ts';
import { type EvictionStanding, evictionStanding } from '../../decide/beside-kubelet.ts';
import { evictionPolicy } from '../../decide/eviction/policy.ts';
import { type ChosenEvictor, chooseEvictor } from '../../decide/evictor-choice.ts';
import { unlistedSums } from '../../decide/held-sums.ts';
import { likelyWriter } from '../../decide/likely-writer.ts';
import { desiredValues } from '../../decide/memory-qos-plan.ts';
import { unlistedPods } from '../../decide/plan-warnings.ts';
import { type TaintStanding, taintStanding } from '../../decide/taints/taint-standing.ts';
import { EXIT, Failure } from '../../exit.ts';
import { liveKubelet } from '../../observe/kubelet-process.ts';
import { nodeEyes } from '../../observe/node-eyes.ts';
import { tellingUnnamedPods } from '../../observe/pods/unnamed-pods.ts';
import type { NodeRoot } from '../../observe/root.ts';
import { tierReader } from '../../observe/tiers.ts';
import { KUBELET_SAMPLE_AGE_MS } from '../../peers/kubelet/kubelet-summary.ts';
import type { Clock, NodeEyes } from '../../ports.ts';
import type { AgentSetup } from '../../run/agent.ts';
import type { EvictionRules } from '../../run/eviction-rules.ts';
import type { MemoryQosLoop, MemoryQosRules } from '../../run/memory-qos-loop.ts';
import type { Io } from '../console/io.ts';
import { loadSetup, type NodeSetup } from '../inputs/node-setup.ts';
import type { Peers } from '../inputs/peers.ts';
import { peersOf } from '../inputs/pods-here.ts';
import { statsSource } from '../inputs/stats-source.ts';
import { type WatchedPods, watchedPods } from '../inputs/watched-pods.ts';
import { type WatchedSummary, watchedSummary } from '../inputs/watched-summary.ts';
import { WatchedTaints } from '../inputs/watched-taints.ts';
import { writablePlaces } from '../memory-qos/write-session.ts';
import { type EvictorParts, evictorNamed } from './evictors.ts';
import type { NodeHold } from './node-hold.ts';
import { refusePlacesAmongCgroups } from './places.ts';
import { askedFor, configurationOrRefusal } from './refusals.ts';
import { type RunArguments, settingsInForce } from './run-settings.ts';
import type { SampleTimes } from './sample-times.ts';
import { kubeletEyes, summaryEyes } from './summary-eyes.ts';

/** What a setup is built with, and what outlives it. */
export interface SetupParts {
  readonly args: RunArguments;
  readonly root: NodeRoot;
  readonly io: Io;
  readonly clock: Clock;
  /** When the samples of a summary were taken. */
  readonly times: SampleTimes;
  /** undefined: a fake tree, whose PIDs mean nobody here. */
  readonly processes: Processes | undefined;
  /** Ends the sleep of the loop: something has changed. */
  wake(): void;
}

/** Everything that was read for a setup. */
export interface RunSetup {
  readonly node: NodeSetup;
  /** nodeqos.yaml with what the command line says instead. */
  readonly settings: NodeQosSettings;
  readonly pods: WatchedPods;
  /** Those who can be asked for pods, or to end them. */
  readonly peers: Peers;
  /** Where a kubelet tells the statistics. */
  readonly summary: WatchedSummary | undefined;
  readonly taints: WatchedTaints;
  /** How evictions stood when this was read. */
  readonly standing: RunStanding;
}

/** How evictions stand, those for taints too. */
export interface RunStanding extends EvictionStanding {
  readonly taints: TaintStanding;
  /** Who ends pods where evictions are real. */
  readonly evictor: ChosenEvictor['name'];
  /** By what a live kubelet was recognised, as a sentence; undefined where there is none. */
  readonly kubelet: string | undefined;
  /** The name of the source that the pods are from, as far as that is known. */
  readonly podSource: string;
}

/** A sample older than so many intervals is none. */
const INTERVALS_OF_A_SAMPLE = 3;

/**
 * Reads the configurations and looks at the machine. Throws Failure: 78 for a configuration that `check` refuses, or that
 * must not run beside a kubelet, or that has nodeqos' own files among cgroups; 64, 66, 77 as every command.
 */
export function readRunSetup(parts: SetupParts): RunSetup {
  const { args, root, io, clock } = parts;
  const node = loadSetup(args, root, configurationOrRefusal(args, root, io));
  const statistics = statsSource(args.stats, { root, nodeqos: node.nodeqos });
  const settings = settingsInForce(node.nodeqos, args);
  refusePlacesAmongCgroups(settings, args, writablePlaces(root, settings.stateDir), node.files.nodeqos);
  const peers = peersOf(node, io.env, clock);
  const { pods, summary } = askedFor(args, () => ({
    pods: watchedPods(node, peers, () => {
      parts.wake();
    }),
    summary: watchedSummary(statistics, peers),
  }));
  const standing = standingOf({ node, settings, peers, pods }, parts);
  if (standing.refusal !== undefined) throw new Failure(EXIT.badConfiguration, standing.refusal);
  const taints = new WatchedTaints(settings.taints, { root, nodeName: node.places.nodeName });
  return { node, settings, pods, peers, summary, taints, standing };
}

/** Asks nobody any more for this setup. */
export function letGo({ pods, peers, summary }: Pick<RunSetup, 'pods' | 'peers' | 'summary'>): void {
  pods.stop();
  summary?.stop();
  peers.close();
}

/** How evictions stand with these settings, with the source that the pods are from now, beside what runs on the node now. */
export function standingOf(
  { node, settings, peers, pods }: Pick<RunSetup, 'node' | 'settings' | 'peers' | 'pods'>,
  { args, root, clock }: SetupParts,
): RunStanding {
  const kubelet = liveKubelet(root);
  const named = args.pods ?? node.nodeqos.pods.source;
  const { from } = pods.list.look(clock.nowMs());
  const podSource = from ?? named;
  // Of several that may be taken, it is not known yet which one that will be.
  const isOpen = pods.isRemote && named === 'auto' && from === undefined;
  const evictor = chooseEvictor(settings.eviction.evictor, isOpen ? undefined : podSource, peers.lacks);
  const { eviction, mode } = settings;
  const standing = evictionStanding({ eviction, mode, kubelet, evictor });
  const taints = taintStanding(standing, { kubelet, podSource });
  return { ...standing, taints, evictor: evictor.name, kubelet, podSource };
}

/** What Memory QoS goes by under a setup. */
export function memoryQosRules({ node, settings }: RunSetup, { root, args }: SetupParts): MemoryQosRules {
  const { kubelet, policy, machine, nodeObject, layout } = node;
  const thresholds = evictionThresholds(kubelet, settings);
  return {
    mode: settings.mode,
    // A single tick does all that there is to do.
    maxWritesPerTick: args.once ? Number.POSITIVE_INFINITY : settings.memoryQos.maxWritesPerTick,
    desired: (pods) => {
      const workingSets = policy.protection === 'safe';
      const snapshot = readCgroupSnapshot(root.cgroups, { layout, reserved: [], workingSets });
      const inputs = {
        pods,
        kubelet,
        policy,
        thresholds,
        machine,
        nodeObject,
        layout,
        snapshot,
        warnings: [],
      };
      // Without a capacity such a value would be `max`, which is another wish and not an unknown one.
      const values = desiredValues(inputs).desired.filter(({ reason }) => reason !== CAPACITY_NOT_KNOWN);
      return { values, ...unlistedSums(unlistedPods(inputs)?.message, policy, layout) };
    },
    isStable: policy.protection !== 'safe',
    likelyWriter: (cgroup) =>
      likelyWriter(cgroup, {
        kubeletWrites: !kubelet.memoryQosGateStatedFalse && liveKubelet(root) !== undefined,
        driver: layout.driver,
      }),
  };
}

/** What the loop goes by under a setup. */
export function agentSetup(
  run: RunSetup,
  parts: SetupParts,
  hold: NodeHold,
  memoryQos: MemoryQosLoop | undefined,
): AgentSetup {
  const { node, settings, standing } = run;
  const { root } = parts;
  return {
    mode: settings.mode,
    eyes: eyesOf(run, parts),
    eviction: evictionRules(run, parts, hold, standing),
    evictionsBecause: standing.because,
    pace: settings.loop,
    overConnection: { pods: run.pods.isRemote, statistics: run.summary !== undefined },
    memoryQos: settings.memoryQos.enabled ? memoryQos : undefined,
    tiers: tierReader(root, node.layout),
  };
}

/** Statistics come from the tree, from a saved summary or from a kubelet. Throws Failure 64 for any other source. */
function eyesOf({ node, pods, summary }: RunSetup, { args, root, clock, times }: SetupParts): NodeEyes {
  const { layout, machine, nodeqos } = node;
  const parts = { clock, times, nodeName: node.places.nodeName };
  const named = args.pods !== undefined || nodeqos.pods.source !== 'auto' ? 'named' : 'auto';
  const eyes = tellingUnnamedPods(nodeEyes({ root, layout, machine, pods: pods.list }), {
    tree: root.cgroups,
    layout,
    source: named,
  });
  if (summary !== undefined) return kubeletEyes(eyes, summary, parts);
  const source = statsSource(args.stats, { root, nodeqos });
  return source.kind === 'summary' ? summaryEyes(eyes, source.path, parts) : eyes;
}

/** How evictions are decided and done, as they stand now. */
export function evictionRules(
  run: RunSetup,
  parts: SetupParts,
  hold: NodeHold,
  { evictions, because, evictor, taints: ofTaints }: RunStanding,
): EvictionRules {
  const { node, settings, taints } = run;
  const forTaints = { ...ofTaints, look: (nowMs: number) => taints.look(nowMs) };
  return {
    ...(settings.taints.evict ? { taints: forTaints } : {}),
    policy: evictionPolicy(node.kubelet, settings, 'nodeqos'),
    evictor: evictions === 'on' ? evictorNamed(evictor, evictorParts(run, parts, hold)) : dryEvictor,
    evictions,
    ...(because === undefined ? {} : { because }),
    isTraced: settings.trace.enabled,
    maxSampleAgeMs: Math.max(
      settings.loop.intervalMs * INTERVALS_OF_A_SAMPLE,
      run.summary === undefined ? 0 : KUBELET_SAMPLE_AGE_MS,
    ),
  };
}

function evictorParts({ peers, settings }: RunSetup, parts: SetupParts, hold: NodeHold): EvictorParts {
  const { root, clock, processes, args } = parts;
  const { budgetRefused } = settings.eviction;
  return { root, clock, processes, peers, hold, budgetRefused, isOnce: args.once };
}
