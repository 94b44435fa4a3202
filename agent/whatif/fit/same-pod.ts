import type { Pod } from '../../model/pod.ts';

/**
 * Whether two documents are of one pod: of the same UID, as the kubelet tells pods apart (allocation manager: canAdmitPod), a
 * mirror being its static pod. A name alone says so only where one of them has no UID yet: a pod that was deleted and made anew
 * is another one, and the old one still holds its share.
 */
export function isSamePod(a: Pod, b: Pod): boolean {
  return a.cgroupUid === undefined || b.cgroupUid === undefined
    ? a.namespace === b.namespace && a.name === b.name
    : a.cgroupUid === b.cgroupUid;
}
