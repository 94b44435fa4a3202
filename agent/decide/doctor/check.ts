/** `missing`: a thing that is needed, or that would be of use, is not there. `not-known`: it could not be looked at. */
export type CheckState = 'ok' | 'warning' | 'missing' | 'not-known';

/** The groups, in the order in which they are told. */
export const CHECK_GROUPS = [
  'kernel',
  'cgroup',
  'pressure',
  'systemd',
  'kubelet',
  'runtime',
  'writers',
  'nodeqos',
] as const;

export type CheckGroup = (typeof CHECK_GROUPS)[number];

/** One thing that was looked at. Nothing has to be done about one that is `ok`. */
export interface DoctorCheck {
  readonly id: string;
  readonly group: CheckGroup;
  readonly title: string;
  readonly state: CheckState;
  /** What was found, as a part of a sentence. */
  readonly found: string;
  /** Why that matters; null where nothing follows. */
  readonly consequence: string | null;
  /** What to do; null where nothing has to be done. */
  readonly remedy: string | null;
}

/** What a check is about. */
export type Subject = Pick<DoctorCheck, 'id' | 'group' | 'title'>;

/** What follows from what was found, and what to do about it. */
export interface Advice {
  readonly consequence: string;
  readonly remedy: string;
}

/** A check of something that is as it should be. */
export function fine(subject: Subject, found: string): DoctorCheck {
  return { ...subject, state: 'ok', found, consequence: null, remedy: null };
}

/** A check of something that is not as it should be, or of which that is not known. */
export function amiss(
  subject: Subject,
  state: Exclude<CheckState, 'ok'>,
  found: string,
  { consequence, remedy }: Advice,
): DoctorCheck {
  return { ...subject, state, found, consequence, remedy };
}

/** What only a running machine tells, and where it would be seen: on the node, or by who sees all of its processes. */
export function unseen(isHost: boolean): Pick<DoctorCheck, 'found'> & { readonly remedy: string } {
  return isHost
    ? {
        found: 'the processes of the node are not seen from here',
        remedy: 'run the doctor as root, in a container with the PIDs of the host (hostPID)',
      }
    : { found: 'only the node itself tells', remedy: 'run the doctor on the node' };
}
