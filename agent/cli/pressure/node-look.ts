import { type Warning, warning } from '../../../cgroup/warning.ts';
import { evictionThresholds } from '../../../config/policy.ts';
import { type NodeLook, type NodeStatus, nodeStatus, withAgentMemory } from '../../decide/node-status.ts';
import { readMemoryPressure } from '../../observe/proc.ts';
import type { NodeRoot } from '../../observe/root.ts';
import { findRunningAgent } from '../../observe/running-agent.ts';
import type { Io } from '../console/io.ts';
import { loadInputs, type NodeInputs } from '../inputs/inputs.ts';
import type { InputArguments } from '../inputs/node-setup.ts';
import { loadReadings } from '../inputs/statistics.ts';
import { statsSource } from '../inputs/stats-source.ts';
import { writablePlaces } from '../memory-qos/write-session.ts';

export interface LookArguments extends InputArguments {
  /** Where the agent answers, if not as nodeqos.yaml says. */
  readonly listen?: string | undefined;
}

/** One look at a node. */
export interface NodeGlance {
  readonly status: NodeStatus;
  readonly warnings: readonly Warning[];
  readonly root: NodeRoot | undefined;
  readonly hugepagesBytes: bigint | undefined;
}

/** Looks at a node once, and asks the agent that runs on it. Throws Failure. */
export async function lookAtNode(args: LookArguments, io: Io): Promise<NodeGlance> {
  const inputs = await loadInputs(args, io, {
    pods: 'if-known',
    cgroups: 'unless-summary',
    statistics: 'required',
  });
  const { readings, warnings } = loadReadings(statsSource(args.stats, inputs), inputs);
  const thresholds = evictionThresholds(inputs.kubelet, inputs.nodeqos);
  const seen = nodeStatus(readings, thresholds, lookAt(inputs));
  const known = await withAgent(seen, inputs, args.listen ?? inputs.nodeqos.listen);
  return {
    status: known.status,
    warnings: [...inputs.warnings, ...warnings, ...known.warnings],
    root: inputs.root,
    hugepagesBytes: inputs.machine.hugepagesBytes,
  };
}

function lookAt(inputs: NodeInputs): NodeLook {
  const { root, machine } = inputs;
  return {
    ...(root === undefined ? {} : { psi: readMemoryPressure(root.files) ?? null }),
    ...(machine.memAvailableBytes === undefined ? {} : { memAvailableBytes: machine.memAvailableBytes }),
  };
}

interface KnownStatus {
  readonly status: NodeStatus;
  readonly warnings: readonly Warning[];
}

/** On a captured node, and offline, no agent runs. */
async function withAgent(
  status: NodeStatus,
  { root, nodeqos }: NodeInputs,
  listen: string,
): Promise<KnownStatus> {
  if (root?.stateFolder === undefined || root.capture !== undefined) return { status, warnings: [] };
  const { stateFolder } = writablePlaces(root, nodeqos.stateDir);
  const found = await findRunningAgent(stateFolder, listen);
  switch (found.kind) {
    case 'none':
      return { status, warnings: [] };
    case 'answers':
      return {
        status: withAgentMemory(status, found.memory),
        warnings: found.doubt === undefined ? [] : [warning('agent-without-lock', found.doubt)],
      };
    case 'silent':
      return {
        status: { ...status, agent: found.view },
        warnings: [warning('agent-silent', found.why)],
      };
    case 'unknown': {
      return { status: withoutAgent(status), warnings: [warning('agent-unknown', found.why)] };
    }
  }
}

/** Absent: not known whether one runs. */
function withoutAgent(status: NodeStatus): NodeStatus {
  const { agent, ...rest } = status;
  return agent === null ? rest : status;
}
