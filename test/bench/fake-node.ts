import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CLASSES = [
  { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '100m', memory: '64Mi' } },
  { requests: { cpu: '50m', memory: '48Mi' }, limits: { memory: '256Mi' } },
  {},
] as const;

/** A PodList of `count` pods, a third of them of each class, as a kubelet would answer. */
function podList(count: number, containers: number): string {
  const items = Array.from({ length: count }, (_, pod) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `pod-${pod}`,
      namespace: `team-${pod % 17}`,
      uid: `00000000-0000-4000-8000-${pod.toString(16).padStart(12, '0')}`,
    },
    spec: {
      nodeName: 'bench',
      priority: pod % 5,
      containers: Array.from({ length: containers }, (__, container) => ({
        name: `c${container}`,
        image: 'registry.example/app:1',
        resources: CLASSES[pod % CLASSES.length],
      })),
    },
    status: {
      phase: 'Running',
      qosClass: ['Guaranteed', 'Burstable', 'BestEffort'][pod % CLASSES.length],
      containerStatuses: Array.from({ length: containers }, (__, container) => ({
        name: `c${container}`,
        containerID: `containerd://${(pod * containers + container).toString(16).padStart(64, '0')}`,
        state: { running: {} },
      })),
    },
  }));
  return JSON.stringify({ apiVersion: 'v1', kind: 'PodList', items });
}

const KUBELET = JSON.stringify({
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  cgroupDriver: 'systemd',
  memoryThrottlingFactor: 0.9,
  memoryReservationPolicy: 'TieredReservation',
});

export interface BenchNode {
  readonly root: string;
  readonly pods: string;
}

/** Builds a fake node of `count` pods on a tmpfs with the shipped command. */
export function benchNode(count: number, containers = 3): BenchNode {
  const base = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  const folder = mkdtempSync(join(base, `nodeqos-bench-${count}-`));
  const pods = join(folder, 'pods.json');
  const kubelet = join(folder, 'kubelet.json');
  const root = join(folder, 'root');
  writeFileSync(pods, podList(count, containers));
  writeFileSync(kubelet, KUBELET);
  const args = ['dist/nodeqos.mjs', 'fake-tree', '--pods', pods, '--dir', root, '--kubelet-config', kubelet];
  const run = spawnSync(process.execPath, [...args, '--memory-capacity', '256Gi'], { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(run.stderr);
  return { root, pods };
}
