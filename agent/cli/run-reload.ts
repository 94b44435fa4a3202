import { Failure } from '../exit.ts';
import type { MemoryQosLoop } from '../run/memory-qos-loop.ts';
import type { Loading } from '../run/reload.ts';
import type { NodeHold } from './node-hold.ts';
import { agentSetup, memoryQosRules, type RunSetup, readRunSetup, type SetupParts } from './run-setup.ts';

/** What goes on whatever is reloaded. */
export interface Lasting {
  readonly hold: NodeHold;
  readonly memoryQos: MemoryQosLoop;
}

/**
 * Reads everything again. A configuration that is refused, and one whose file was there at the start and is gone, change
 * nothing: an agent that enforces must not fall back to the defaults because somebody moved a file.
 */
export function loadAgain(parts: SetupParts, first: RunSetup, { hold, memoryQos }: Lasting): Loading {
  try {
    const run = readRunSetup(parts);
    const gone = goneFile(first, run);
    if (gone !== undefined) {
      return {
        kind: 'refused',
        sentence: `${gone} is gone; the settings in force stay until it is back, or until a restart takes the defaults`,
      };
    }
    memoryQos.use(memoryQosRules(run, parts));
    return {
      kind: 'loaded',
      loaded: { setup: agentSetup(run, parts, hold, memoryQos), settings: comparable(run) },
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

function goneFile({ node: before }: RunSetup, { node: now }: RunSetup): string | undefined {
  if (before.files.nodeqos !== undefined && now.files.nodeqos === undefined) return before.files.nodeqos;
  return now.files.kubelet === undefined ? before.files.kubelet : undefined;
}
