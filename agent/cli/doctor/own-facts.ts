import { lockHolder } from '../../../cgroup/disk/lock-holder.ts';
import { evictionThresholds, memoryQosPolicy } from '../../../config/policy.ts';
import type { Signal } from '../../../config/signal.ts';
import { credibleReadings } from '../../decide/credible.ts';
import type { OwnFacts } from '../../decide/doctor/facts.ts';
import { signalReadings } from '../../decide/signals.ts';
import { isNative, type Native, type NativeLack } from '../../native/native.ts';
import { stateFolderLook } from '../../observe/doctor/access.ts';
import { listenLook } from '../../observe/doctor/listening.ts';
import type { Machine } from '../../observe/machine.ts';
import { readNodeCounters } from '../../observe/node-counters.ts';
import { present } from '../../observe/present.ts';
import { writablePlaces } from '../memory-qos/write-session.ts';
import type { DoctorScene } from './scene.ts';
import { podsLook, runtimeLack, type SourceInputs, statsLook } from './source-facts.ts';

/** The oldest Node.js that nodeqos is tried with. */
const OLDEST_NODE = [20, 19] as const;

interface OwnInputs extends SourceInputs {
  readonly machine: Machine;
  readonly native: Native | NativeLack;
}

/** nodeqos itself on a node. Throws nothing. */
export function ownFacts(scene: DoctorScene, { machine, native, ...inputs }: OwnInputs): OwnFacts {
  const { root, layout, configuration, user, overrides } = scene;
  const { nodeqos, kubelet, nodeqosLook } = configuration;
  const policy = memoryQosPolicy(kubelet, nodeqos);
  const { counters } = readNodeCounters(root, layout, machine);
  const { readings } = credibleReadings(signalReadings(counters));
  const stateFolder = stateFolderOf(scene);
  const pods = podsLook(scene, inputs);
  const isHost = root.kind === 'host';
  return {
    configuration: nodeqosLook,
    settings: nodeqos,
    podsSource: (pods.kind === 'there' ? pods.takes : undefined) ?? nodeqos.pods.source,
    podsLook: pods,
    statsLook: statsLook(scene),
    ...present('runtimeLack', runtimeLack(scene)),
    policy: {
      throttles: policy.memoryThrottlingFactor !== null,
      protects: policy.memoryReservationPolicy !== 'None',
    },
    signals: {
      wanted: sorted(evictionThresholds(kubelet, nodeqos).map(({ signal }) => signal)),
      observed: sorted([...readings.keys()]),
    },
    ...present(
      'stateFolder',
      stateFolder === undefined ? undefined : stateFolderLook(stateFolder, overrides),
    ),
    ...present('lock', stateFolder === undefined ? undefined : lockHolder(stateFolder)),
    ...present('user', isHost ? user : undefined),
    ...present('nativeLack', isNative(native) ? undefined : native.lack),
    node: { version: process.version, isSupported: isSupported(process.versions.node) },
    ...present('listen', isHost ? listenLook(root.files, nodeqos.listen) : undefined),
  };
}

/** Where the state of a root is; undefined for a captured node, whose state stayed there. */
export function stateFolderOf({ root, configuration }: DoctorScene): string | undefined {
  return root.stateFolder === undefined || root.capture !== undefined
    ? undefined
    : writablePlaces(root, configuration.nodeqos.stateDir).stateFolder;
}

function sorted(signals: readonly Signal[]): readonly Signal[] {
  return [...new Set(signals)].toSorted();
}

function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
}
