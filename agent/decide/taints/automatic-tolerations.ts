import type { Pod, Toleration } from '../../model/pod.ts';

const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const DEFAULT_SECONDS = 300n;
/** What the pods of a DaemonSet tolerate with NoSchedule, wherever they run. */
const DAEMON_NO_SCHEDULE = ['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'];

/**
 * The pod with the tolerations that a cluster would have given it: those of the DaemonSet controller where a DaemonSet owns
 * it, then those of admission. A pod that a cluster gave out has them already, and a static one tolerates every NoExecute
 * taint; both stay as they are.
 */
export function withAutomaticTolerations(pod: Pod): Pod {
  const own = pod.controllerKind === 'DaemonSet' ? withDaemonTolerations(pod) : pod.tolerations;
  return { ...pod, tolerations: withDefaultSeconds(own) };
}

/**
 * Tolerations after admission: 300 s for a node that is not ready, and 300 s for one that is unreachable, each unless one is
 * there for that key or for every key, with NoExecute or every effect. Its operator and value are not looked at, so that one
 * which does not tolerate the real taint keeps the default away (admission plugin DefaultTolerationSeconds).
 */
export function withDefaultSeconds(tolerations: readonly Toleration[]): readonly Toleration[] {
  const missing = [NOT_READY, UNREACHABLE].filter(
    (key) =>
      !tolerations.some(
        (one) => (one.key === key || one.key === '') && (one.effect === 'NoExecute' || one.effect === ''),
      ),
  );
  return [
    ...tolerations,
    ...missing.map((key) => ({ ...toleration(key, 'NoExecute'), tolerationSeconds: DEFAULT_SECONDS })),
  ];
}

/**
 * The tolerations that the pods of a DaemonSet have (DaemonSet controller): a node that is not ready or unreachable for ever,
 * pressure and cordon; a missing network only with the host's own. One that is the same but for its seconds is replaced.
 */
export function withDaemonTolerations(pod: Pick<Pod, 'tolerations' | 'hostNetwork'>): readonly Toleration[] {
  const daemon = [
    toleration(NOT_READY, 'NoExecute'),
    toleration(UNREACHABLE, 'NoExecute'),
    ...DAEMON_NO_SCHEDULE.map((name) => toleration(`node.kubernetes.io/${name}`, 'NoSchedule')),
    ...(pod.hostNetwork ? [toleration('node.kubernetes.io/network-unavailable', 'NoSchedule')] : []),
  ];
  const kept = pod.tolerations.map((own) => daemon.find((other) => isSame(own, other)) ?? own);
  return [...kept, ...daemon.filter((one) => !kept.includes(one))];
}

/** Whether two tolerations are one, whatever their seconds (API: Toleration.MatchToleration). */
function isSame(a: Toleration, b: Toleration): boolean {
  return a.key === b.key && a.operator === b.operator && a.effect === b.effect && a.value === b.value;
}

function toleration(key: string, effect: string): Toleration {
  return { key, operator: 'Exists', value: '', effect };
}
