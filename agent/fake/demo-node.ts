/** One container of the demo's node: what it asks for, and what it uses before and after memory runs short, in MiB. */
interface DemoContainer {
  readonly name: string;
  readonly memory?: string;
  readonly memoryLimit?: string;
  readonly cpu?: string;
  readonly cpuLimit?: string;
  readonly calmMiB: number;
  readonly pressedMiB?: number;
}

interface DemoPod {
  readonly namespace: string;
  readonly name: string;
  readonly priority: number;
  readonly isStatic?: boolean;
  readonly containers: readonly DemoContainer[];
}

/** A shop's worker node in the evening: daemons, a database, a shop, a search, batch work and somebody's notebook. */
const PODS: readonly DemoPod[] = [
  pod('kube-system', 'kube-proxy-x7k2p', 2_000_001_000, [{ name: 'kube-proxy', cpu: '100m', calmMiB: 38 }]),
  pod('kube-system', 'coredns-wm4tz', 2_000_000_000, [
    { name: 'coredns', memory: '70Mi', memoryLimit: '170Mi', cpu: '100m', calmMiB: 44 },
  ]),
  pod('kube-system', 'metrics-server-0', 2_000_000_000, [
    { name: 'metrics-server', memory: '200Mi', cpu: '100m', calmMiB: 96 },
  ]),
  {
    ...pod('kube-system', 'nginx-proxy-n7', 2_000_001_000, [
      { name: 'nginx-proxy', memory: '32Mi', cpu: '25m', calmMiB: 24 },
    ]),
    isStatic: true,
  },
  pod('metrics', 'node-exporter-b4fzd', 0, [
    { name: 'node-exporter', memory: '32Mi', memoryLimit: '64Mi', cpu: '50m', calmMiB: 22 },
  ]),
  pod('metrics', 'prometheus-agent-0', 0, [
    { name: 'agent', memory: '400Mi', memoryLimit: '800Mi', cpu: '200m', calmMiB: 372, pressedMiB: 418 },
  ]),
  pod('shop', 'postgres-0', 100_000, [
    {
      name: 'postgres',
      memory: '1Gi',
      memoryLimit: '1Gi',
      cpu: '1',
      cpuLimit: '1',
      calmMiB: 870,
      pressedMiB: 930,
    },
  ]),
  pod('shop', 'cart-redis-0', 100_000, [
    { name: 'redis', memory: '256Mi', memoryLimit: '256Mi', cpu: '250m', cpuLimit: '250m', calmMiB: 188 },
  ]),
  pod('shop', 'checkout-tq2lp', 100_000, [
    { name: 'checkout', memory: '384Mi', memoryLimit: '384Mi', cpu: '500m', cpuLimit: '500m', calmMiB: 290 },
    { name: 'mesh-proxy', memory: '64Mi', memoryLimit: '64Mi', cpu: '100m', cpuLimit: '100m', calmMiB: 41 },
  ]),
  pod('shop', 'catalog-4mzxk', 10_000, [
    { name: 'catalog', memory: '256Mi', memoryLimit: '1Gi', cpu: '250m', calmMiB: 310, pressedMiB: 420 },
  ]),
  pod('search', 'elastic-data-1', 10_000, [
    { name: 'elastic', memory: '1Gi', memoryLimit: '2Gi', cpu: '1', calmMiB: 980, pressedMiB: 1010 },
  ]),
  pod('data', 'spark-executor-17', 0, [
    { name: 'executor', memory: '512Mi', memoryLimit: '2Gi', cpu: '500m', calmMiB: 540, pressedMiB: 1370 },
  ]),
  pod('data', 'nightly-report-q7d2x', -10, [
    { name: 'report', memory: '300Mi', cpu: '100m', calmMiB: 240, pressedMiB: 1190 },
  ]),
  pod('team-lab', 'notebook-alice', 0, [{ name: 'jupyter', calmMiB: 210, pressedMiB: 1470 }]),
  pod('ci', 'runner-build-4711', 0, [{ name: 'build', calmMiB: 160, pressedMiB: 340 }]),
];

/** The node's KubeletConfiguration: Memory QoS turned on, and a soft threshold before the hard one. */
const KUBELET = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cgroupDriver: systemd
kubeReserved: {memory: 100Mi}
evictionHard: {memory.available: 400Mi}
mergeDefaultEvictionSettings: true
evictionSoft: {memory.available: 800Mi}
evictionSoftGracePeriod: {memory.available: 1m30s}
memoryThrottlingFactor: 0.9
memoryReservationPolicy: TieredReservation
`;

/** The node's memory. */
export const DEMO_MEMORY = '8Gi';

/** The files that the demo starts from, by name. */
export function demoFiles(): ReadonlyMap<string, string> {
  return new Map([
    ['pods.json', json({ apiVersion: 'v1', kind: 'PodList', items: PODS.map(document) })],
    ['kubelet.yaml', KUBELET],
    ['usage-calm.json', json(usage(8, ({ calmMiB }) => calmMiB))],
    ['usage-pressed.json', json(usage(16, ({ calmMiB, pressedMiB }) => pressedMiB ?? calmMiB))],
  ]);
}

function pod(
  namespace: string,
  name: string,
  priority: number,
  containers: readonly DemoContainer[],
): DemoPod {
  return { namespace, name, priority, containers };
}

function document({ namespace, name, priority, isStatic, containers }: DemoPod): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace,
      name,
      ...(isStatic === true ? { annotations: { 'kubernetes.io/config.source': 'file' } } : {}),
    },
    spec: {
      nodeName: 'n7',
      priority,
      containers: containers.map((container) => ({
        name: container.name,
        resources: {
          requests: { memory: container.memory, cpu: container.cpu },
          limits: { memory: container.memoryLimit, cpu: container.cpuLimit },
        },
      })),
    },
  };
}

/**
 * Most of a container's memory is its own; one part in `fileShare` are files that it has read, half of them long ago. They
 * get fewer as memory runs short.
 */
function usage(
  fileShare: number,
  mebibytes: (container: DemoContainer) => number,
): Readonly<Record<string, object>> {
  const entries = PODS.flatMap(({ namespace, name, containers }) =>
    containers.map((container) => {
      const current = mebibytes(container);
      const file = Math.floor(current / fileShare);
      return [
        `${namespace}/${name}/${container.name}`,
        {
          current: `${current}Mi`,
          anon: `${Math.floor(current * 0.99) - file}Mi`,
          file: `${file}Mi`,
          inactiveFile: `${Math.floor(file / 2)}Mi`,
        },
      ] as const;
    }),
  );
  return Object.fromEntries(entries);
}

function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
