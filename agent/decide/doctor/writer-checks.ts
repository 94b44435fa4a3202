import { likelyWriter } from '../likely-writer.ts';
import { amiss, type DoctorCheck, fine, type Subject, unseen } from './check.ts';
import type { AgentLook, DoctorFacts, KubeletFacts, WriterFacts } from './facts.ts';

const group = 'writers' as const;
const KUBELET: Subject = { id: 'kubelet-memory-qos', group, title: 'Kubelet (MemoryQoS)' };
const UNITS: Subject = { id: 'unit-drop-ins', group, title: "Drop-ins of pods' units" };
const OOMD: Subject = { id: 'systemd-oomd', group, title: 'systemd-oomd' };
const AGENTS: Subject = { id: 'other-agents', group, title: 'Other agents' };
const NODEQOS: Subject = { id: 'other-nodeqos', group, title: 'Another nodeqos' };
const VALUES: Subject = { id: 'values-of-others', group, title: 'Values of others' };

/** A list of more than this is cut: it is there to be recognised. */
const SHOWN = 3;

/** Who else writes memory limits, or ends processes for want of memory. */
export function writerChecks(facts: DoctorFacts): readonly DoctorCheck[] {
  const { writers, root } = facts;
  const isHost = root.kind === 'host';
  return [
    kubeletCheck(facts),
    unitsCheck(writers),
    oomdCheck(writers, isHost),
    agentsCheck(writers, isHost),
    otherNodeqosCheck(writers, isHost),
    valuesCheck(facts),
  ];
}

/** Whether a kubelet may write the same files: it is alive, or that is not known, and its gate is on, or that is not known. */
export function kubeletMayWrite({ kubelet }: Pick<DoctorFacts, 'kubelet'>): boolean {
  return kubelet.alive !== null && kubelet.gate !== false && !isOffByVersion(kubelet);
}

/** The version from which the gate is on unless it is said to be false (KEP-2570). */
const ON_FROM_MINOR = 37;

function isOffByVersion({ gate, version }: KubeletFacts): boolean {
  const [, minor] = /^v?1\.(\d{1,4})(?:\D|$)/.exec(version ?? '') ?? [];
  return gate === undefined && minor !== undefined && Number(minor) < ON_FROM_MINOR;
}

function kubeletCheck({ kubelet }: DoctorFacts): DoctorCheck {
  const { alive, gate, version } = kubelet;
  if (gate === false) return fine(KUBELET, 'its gate is false: it leaves memory.min, low and high alone');
  if (alive === null) return fine(KUBELET, 'no kubelet lives here');
  if (isOffByVersion(kubelet)) return fine(KUBELET, `its gate is off, as ${version ?? ''} has it by default`);
  const found =
    gate === true
      ? 'its gate is on, by KubeletConfiguration'
      : 'its gate is not said to be false, and from 1.37 on it is on';
  return amiss(KUBELET, alive === undefined ? 'not-known' : 'warning', found, {
    consequence: 'it may write the same files each minute, and values are then changed back and forth',
    remedy:
      'set featureGates: {MemoryQoS: false} for the kubelet, or leave Memory QoS to it (memoryQos.enabled: false)',
  });
}

function unitsCheck({ units, hiddenUnits }: WriterFacts): DoctorCheck {
  const remedy = 'remove them (systemctl revert UNIT), or leave those limits to systemd';
  const consequence = 'systemd writes them at each daemon-reload, over what nodeqos wrote to the file';
  if (units === undefined) {
    return amiss(UNITS, 'not-known', 'only the node itself tells', {
      consequence,
      remedy: 'run the doctor on the node',
    });
  }
  if (units.length > 0) {
    const list = shortList(units.map(({ file, keys }) => `${file} (${keys.join(', ')})`));
    return amiss(UNITS, 'warning', list, { consequence, remedy });
  }
  return hiddenUnits.length === 0
    ? fine(UNITS, 'none sets a memory limit')
    : amiss(UNITS, 'not-known', `${hiddenUnits.join(', ')} may not be looked into`, {
        consequence,
        remedy: 'run the doctor as root',
      });
}

function oomdCheck({ oomd }: WriterFacts, isHost: boolean): DoctorCheck {
  const consequence = 'it ends whole cgroups by swap and pressure, beside the evictions of nodeqos';
  if (oomd === undefined) {
    const { found, remedy } = unseen(isHost);
    return amiss(OOMD, 'not-known', found, { consequence, remedy });
  }
  return oomd === null
    ? fine(OOMD, 'does not run')
    : amiss(OOMD, 'warning', `runs (${oomd})`, {
        consequence,
        remedy:
          'keep ManagedOOMSwap and ManagedOOMMemoryPressure off for kubepods.slice, or stop systemd-oomd',
      });
}

function agentsCheck({ agents }: WriterFacts, isHost: boolean): DoctorCheck {
  if (agents === undefined) {
    const { found, remedy } = unseen(isHost);
    return amiss(AGENTS, 'not-known', found, {
      consequence: 'two agents take two victims, or write the same limits',
      remedy,
    });
  }
  if (agents.length === 0) return fine(AGENTS, 'none that is known by name');
  return amiss(AGENTS, 'warning', agents.map(({ name, where }) => `${name} (${where})`).join(', '), {
    consequence: whatAgentsDo(agents),
    remedy: 'let one of them do it: stop the other, or keep nodeqos in dry-run for its part',
  });
}

function whatAgentsDo(agents: readonly AgentLook[]): string {
  const kills = agents.some(({ does }) => does === 'kills');
  const limits = agents.some(({ does }) => does === 'limits');
  const first = kills ? ['it ends processes for want of memory, so two victims go where one was enough'] : [];
  const second = limits ? ['it writes limits of pods, so values are changed back and forth'] : [];
  return [...first, ...second].join('; ');
}

function otherNodeqosCheck({ otherNodeqos }: WriterFacts, isHost: boolean): DoctorCheck {
  if (otherNodeqos === undefined) {
    const { found, remedy } = unseen(isHost);
    return amiss(NODEQOS, 'not-known', found, { consequence: 'two agents take two victims', remedy });
  }
  return otherNodeqos.length === 0
    ? fine(NODEQOS, 'none besides the one that holds the lock')
    : amiss(
        NODEQOS,
        'warning',
        `runs without the lock of this state folder (PID ${otherNodeqos.join(', ')})`,
        {
          consequence: 'with a state folder of its own it writes and evicts on its own account',
          remedy: 'stop it, or give both the same stateDir',
        },
      );
}

function valuesCheck(facts: DoctorFacts): DoctorCheck {
  const { found, own, journalLack } = facts.writers.values;
  const consequence =
    'somebody else set them: nodeqos takes them over with apply and run, and reset puts them back';
  if (found === undefined) {
    return amiss(VALUES, 'not-known', 'the cgroups of pods were not read', {
      consequence,
      remedy: 'have cgroup v2 first',
    });
  }
  if (found.length === 0)
    return fine(VALUES, own === 0 ? 'every limit is the default' : `none; ${own} are nodeqos' own`);
  const list = shortList(found);
  if (journalLack !== undefined) {
    return amiss(VALUES, 'not-known', `${list}; ${journalLack}`, {
      consequence: 'whether nodeqos or somebody else set them is not known',
      remedy: 'run the doctor as root on the node',
    });
  }
  const { driver } = facts.systemd;
  const writer = likelyWriter(facts.cgroup.kubepods, {
    kubeletWrites: kubeletMayWrite(facts),
    driver: driver.used,
  });
  return amiss(VALUES, 'warning', list, {
    consequence,
    remedy: `see who writes: most likely ${writer}`,
  });
}

function shortList(all: readonly string[]): string {
  const rest = all.length - SHOWN;
  return `${all.slice(0, SHOWN).join(', ')}${rest > 0 ? `, and ${rest} more` : ''}`;
}
