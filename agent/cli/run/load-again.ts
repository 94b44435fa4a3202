import { settingsDiff } from '../../decide/settings-diff.ts';
import { Failure } from '../../exit.ts';
import type { MemoryQosLoop } from '../../run/memory-qos-loop.ts';
import type { Loading } from '../../run/reload.ts';
import type { Peers } from '../inputs/peers.ts';
import type { NodeHold } from './node-hold.ts';
import { agentSetup, memoryQosRules, type RunSetup, readRunSetup, type SetupParts } from './setup.ts';

/** What goes on whatever is reloaded. */
export interface Lasting {
  /** Those of former settings: an eviction that goes on may be asking them. */
  readonly formerPeers: Peers[];
  readonly hold: NodeHold;
  readonly memoryQos: MemoryQosLoop;
  readonly inForce: { run: RunSetup };
}

/**
 * Reads everything again. A configuration that is refused, and one whose file was there before and is gone, change
 * nothing: an agent that enforces must not fall back to the defaults because somebody moved a file.
 */
export function loadAgain(parts: SetupParts, { hold, memoryQos, inForce, formerPeers }: Lasting): Loading {
  try {
    const run = readRunSetup(parts);
    const { run: before } = inForce;
    const gone = goneFile(before, run);
    if (gone !== undefined) {
      return {
        kind: 'refused',
        sentence: `${gone} is gone; the settings in force stay until it is back, or until a restart takes the defaults`,
      };
    }
    const setup = agentSetup(run, parts, hold, memoryQos);
    memoryQos.use(memoryQosRules(run, parts));
    const { lastGood } = before.pods.list;
    if (lastGood !== undefined) run.pods.list.adopt(lastGood);
    run.taints.adopt(before.taints);
    inForce.run = run;
    before.pods.stop();
    before.summary?.stop();
    formerPeers.push(before.peers);
    // Not waited for: until it has answered, what the source before said is the last good list.
    void run.pods.first();
    void run.summary?.first();
    return {
      kind: 'loaded',
      loaded: { setup, settings: comparable(run), later: changedForLater(before, run) },
    };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { kind: 'refused', sentence: error.message };
  }
}

/** The effective settings of both configurations, as a reload compares them. */
export function comparable({ node, settings }: RunSetup): object {
  return { ...settings, kubelet: node.kubelet };
}

/** Settings that are taken at the start only, as far as they changed: whoever changes one has to hear that. */
function changedForLater({ settings: before }: RunSetup, { settings: now }: RunSetup): readonly string[] {
  const taken = (settings: RunSetup['settings']) => {
    const { listen, stateDir, audit, log, trace, api } = settings;
    const { events, conditions, taints } = api;
    return {
      listen,
      stateDir,
      audit,
      log,
      api: { events, conditions, taints },
      trace: { maxBytes: trace.maxBytes },
    };
  };
  return settingsDiff(taken(before), taken(now)).map((line) => line.replace(/:.*/s, ''));
}

function goneFile({ node: before }: RunSetup, { node: now }: RunSetup): string | undefined {
  if (before.files.nodeqos !== undefined && now.files.nodeqos === undefined) return before.files.nodeqos;
  return now.files.kubelet === undefined ? before.files.kubelet : undefined;
}
