import { isAmongCgroups } from '../../../cgroup/disk/among-cgroups.ts';
import { parseListen } from '../../../config/nodeqos/listen-address.ts';
import type { NodeQosSettings } from '../../../config/nodeqos/settings.ts';
import { EXIT, Failure } from '../../exit.ts';
import type { WritablePlaces } from '../memory-qos/write-session.ts';
import type { RunArguments } from './run-settings.ts';

/** A file or folder that `run` makes, and who named it. */
interface MadePlace {
  readonly path: string;
  /** The option, where the command line named it, else the key of nodeqos.yaml. */
  readonly option?: string;
  readonly key: string;
}

/**
 * Refuses places among cgroups for what `run` makes: a folder that is made there is a cgroup. Throws Failure 64 for a place
 * that the command line names, 78 for one of nodeqos.yaml, which people call `file`. Makes nothing.
 */
export function refusePlacesAmongCgroups(
  settings: NodeQosSettings,
  args: RunArguments,
  { cgroupMountPath, stateFolder }: WritablePlaces,
  file: string | undefined,
): void {
  for (const { path, option, key } of placesOf(settings, args, stateFolder)) {
    if (!isAmongCgroups(path, cgroupMountPath)) continue;
    const why = `lies among cgroups (the mount is ${cgroupMountPath}), where a new folder is a new cgroup; name a place outside of the mount`;
    if (option !== undefined) throw new Failure(EXIT.usage, `${option} ${path} ${why}`);
    throw new Failure(
      EXIT.badConfiguration,
      `${file === undefined ? '' : `${file}: `}${key}: ${path} ${why}`,
    );
  }
}

function placesOf(
  { audit, listen }: NodeQosSettings,
  args: RunArguments,
  stateFolder: string,
): readonly MadePlace[] {
  const address = parseListen(listen);
  const socket = address.ok && address.value.kind === 'unix' ? address.value.path : undefined;
  const ownAudit = audit.file === undefined ? 'audit.jsonl' : undefined;
  return [
    { path: stateFolder, key: 'stateDir' },
    // A file of the state folder may be a link to anywhere.
    ...[ownAudit, 'trace.jsonl'].flatMap((name) =>
      name === undefined ? [] : [{ path: `${stateFolder}/${name}`, key: 'stateDir' }],
    ),
    ...(audit.file === undefined
      ? []
      : [{ path: audit.file, key: 'audit.file', ...named('--audit-log', args.auditLog) }]),
    ...(socket === undefined ? [] : [{ path: socket, key: 'listen', ...named('--listen', args.listen) }]),
  ];
}

function named(option: string, given: string | undefined): { readonly option?: string } {
  return given === undefined ? {} : { option };
}
