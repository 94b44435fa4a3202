import { diskTree } from '../../../cgroup/disk/disk-tree.ts';
import { chooseDriver, detectDriver } from '../../../cgroup/driver.ts';
import { cgroupLayout } from '../../../cgroup/paths.ts';
import { SystemBus } from '../../act/units/system-bus.ts';
import { systemdVersion } from '../../act/units/unit-manager.ts';
import type { DoctorFacts, SystemdFacts } from '../../decide/doctor/facts.ts';
import { loadNative } from '../../native/load-native.ts';
import { capturedTexts } from '../../observe/captured/captured-inputs.ts';
import { cgroupFacts } from '../../observe/doctor/cgroup-facts.ts';
import { kernelFacts } from '../../observe/doctor/kernel-facts.ts';
import { readOwnUser } from '../../observe/doctor/own-user.ts';
import { pressureFacts } from '../../observe/doctor/pressure-facts.ts';
import { listProcesses } from '../../observe/doctor/processes.ts';
import { liveKubelet } from '../../observe/kubelet-process.ts';
import { present } from '../../observe/present.ts';
import { type NodeRoot, openRoot } from '../../observe/root.ts';
import type { Io } from '../console/io.ts';
import type { ConfigurationArguments } from '../inputs/configuration.ts';
import { type MachineArguments, machineOf, nodeObjectOf } from '../inputs/machine-input.ts';
import { hasSystemd, SYSTEM_BUS } from '../memory-qos/limit-writer.ts';
import { type LenientConfiguration, readConfigurations } from './configurations.ts';
import { ownFacts } from './own-facts.ts';
import { credentialsOf, socketsOf } from './peer-facts.ts';
import type { DoctorScene } from './scene.ts';
import { writerFacts } from './writer-facts.ts';

export interface DoctorArguments extends ConfigurationArguments, MachineArguments {
  readonly root: string;
  readonly cgroupRoot?: string | undefined;
  readonly cgroupDriver: 'systemd' | 'cgroupfs' | 'auto';
}

/** systemd answers a question about itself at once, or is busy with itself. */
const BUS_TIMES = { answerMs: 3000, tryAgainMs: 10_000 };

/**
 * Looks at a node, all of it, whatever is wrong with it. Writes nothing and spawns nothing; a trigger is set on
 * /proc/pressure/memory of this machine and taken away again. Throws Failure for a root or an option that cannot be used.
 */
export async function gatherFacts(args: DoctorArguments, env: Io['env']): Promise<DoctorFacts> {
  const root = await openRoot({ root: args.root, cgroupRoot: args.cgroupRoot });
  const captured = capturedTexts(root);
  const configuration = readConfigurations(args, root);
  const { kubelet } = configuration;
  const node = nodeObjectOf(args, captured);
  const machine = machineOf(args, root, node, captured);
  const found = detectDriver(root.cgroups, kubelet.cgroupRoot);
  const { driver } = chooseDriver({
    asked: args.cgroupDriver === 'auto' ? captured?.cgroupDriver : args.cgroupDriver,
    found,
    configured: kubelet.cgroupDriver,
    configuredIsStated: kubelet.cgroupDriverStated,
  });
  const layout = cgroupLayout(driver, kubelet.cgroupRoot);
  const native = await loadNative();
  const user = readOwnUser(diskTree('/'));
  const scene: DoctorScene = {
    root,
    configuration,
    layout,
    processes: root.kind === 'host' ? listProcesses(root.files) : undefined,
    user,
    overrides: user?.capabilities.includes('CAP_DAC_OVERRIDE') === true,
  };
  const own = ownFacts(scene, { machine, native, captured, env });
  return {
    root: { kind: kindOf(root), name: root.name },
    kernel: kernelFacts(root, { machine, native, isPageSizeGiven: args.pageSize !== undefined }),
    cgroup: cgroupFacts(root, layout, scene.overrides),
    pressure: pressureFacts(root, machine.kernelRelease, native),
    systemd: {
      driver: {
        ...present('found', found),
        configured: kubelet.cgroupDriver,
        isStated: kubelet.cgroupDriverStated,
        used: driver,
      },
      ...(await busOf(root)),
    },
    kubelet: {
      ...present('alive', aliveOf(scene)),
      configuration: configuration.kubeletLook,
      ...present('version', node?.kubeletVersion),
      ...gateOf(configuration),
      ...present('readOnlyPort', kubelet.readOnlyPort),
      credentials: credentialsOf(scene),
    },
    runtime: present('sockets', socketsOf(scene)),
    writers: writerFacts(scene, own),
    own,
  };
}

function kindOf({ kind, capture }: NodeRoot): DoctorFacts['root']['kind'] {
  if (kind === 'host') return 'host';
  return kind === 'folder' && capture === undefined ? 'folder' : 'capture';
}

/** null: none lives here. Undefined: it could live where its processes are not seen. */
function aliveOf({ root, processes }: DoctorScene): string | null | undefined {
  return liveKubelet(root) ?? (processes?.isWhole === true ? null : undefined);
}

function gateOf({ kubelet }: LenientConfiguration): { readonly gate?: boolean } {
  if (kubelet.memoryQosGateStatedFalse) return { gate: false };
  return kubelet.memoryQosGateStatedTrue === true ? { gate: true } : {};
}

async function busOf(root: NodeRoot): Promise<Pick<SystemdFacts, 'bus'>> {
  if (!hasSystemd(root)) return {};
  const bus = new SystemBus(SYSTEM_BUS, BUS_TIMES);
  const answer = await systemdVersion(bus);
  bus.close();
  return { bus: answer.kind === 'version' ? { version: answer.version } : { lack: answer.error } };
}
