/** A snapshot as `kubectl get nodes,pods,pdb,priorityclasses -A -o json` prints it, with all that a plan does not look at. */
export interface BenchCluster {
  readonly text: string;
  readonly pending: { readonly namespace: string; readonly name: string };
}

const PODS_PER_NODE = 30;
const PRIORITIES = [0, 100, 1000, 5000];

/** The same nodes and pods with a group of two members a node, for which pods have to leave on every one of them. */
export function benchGroup(nodes: number): BenchCluster {
  const members = Array.from({ length: nodes * 2 }, (_, index) => member(index));
  const items = [...busyNodes(nodes), ...PRIORITIES.map(priorityClass), group(members.length), ...members];
  return { text: textOf(items), pending: { namespace: 'default', name: 'training' } };
}

/** Nodes with thirty pods each, all full, a budget for every tenth application, and one pod that fits nowhere. */
export function benchCluster(nodes: number): BenchCluster {
  const items = [...busyNodes(nodes), ...PRIORITIES.map(priorityClass), pending()];
  return { text: textOf(items), pending: { namespace: 'default', name: 'pending' } };
}

function busyNodes(nodes: number): readonly object[] {
  return [
    ...Array.from({ length: nodes }, (_, index) => node(index)),
    ...Array.from({ length: nodes * PODS_PER_NODE }, (_, index) => pod(index, nodes)),
    ...Array.from({ length: 30 }, (_, index) => budget(index * 10)),
  ];
}

function textOf(items: readonly object[]): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items, metadata: { resourceVersion: '' } });
}

function node(index: number): object {
  const name = nodeName(index);
  const resources = { cpu: '16', memory: '65536Mi', 'ephemeral-storage': '100Gi', pods: '110' };
  const condition = (type: string, status: string): object => ({
    type,
    status,
    lastHeartbeatTime: '2026-03-01T10:00:00Z',
    lastTransitionTime: '2026-02-01T10:00:00Z',
    reason: `Kubelet${type}`,
    message: `the kubelet says that ${type} is ${status}`,
  });
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      uid: `node-${index}`,
      labels: { 'kubernetes.io/hostname': name, zone: `z${index % 3}` },
    },
    spec: { podCIDR: '10.0.0.0/24', providerID: `cloud:///${name}` },
    status: {
      allocatable: resources,
      capacity: resources,
      conditions: [
        condition('MemoryPressure', 'False'),
        condition('DiskPressure', 'False'),
        condition('PIDPressure', 'False'),
        condition('Ready', 'True'),
      ],
      images: Array.from({ length: 40 }, (_, at) => ({
        names: [`registry.example/team/application-${at}@sha256:${String(at).padStart(64, 'a')}`],
        sizeBytes: 100_000_000 + at,
      })),
    },
  };
}

function nodeName(index: number): string {
  return `worker-${String(index).padStart(4, '0')}`;
}

function pod(index: number, nodes: number): object {
  const application = index % 300;
  const at = new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString().replace('.000Z', 'Z');
  const name = `application-${application}-${index}`;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: `team-${application % 20}`,
      uid: `0000${index}-1111-2222-3333-444455556666`,
      creationTimestamp: at,
      generateName: `application-${application}-`,
      labels: { app: `application-${application}`, 'pod-template-hash': String(index), tier: 'back' },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `application-${application}`, controller: true },
      ],
      resourceVersion: String(index * 7),
    },
    spec: {
      containers: [container('main', index), container('proxy', index)],
      dnsPolicy: 'ClusterFirst',
      enableServiceLinks: true,
      nodeName: nodeName(index % nodes),
      preemptionPolicy: 'PreemptLowerPriority',
      priority: PRIORITIES[index % PRIORITIES.length],
      restartPolicy: 'Always',
      schedulerName: 'default-scheduler',
      securityContext: {},
      serviceAccountName: 'default',
      terminationGracePeriodSeconds: 30,
      tolerations: ['not-ready', 'unreachable'].map((key) => ({
        key: `node.kubernetes.io/${key}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
      volumes: [{ name: 'token', projected: { defaultMode: 420, sources: [{ serviceAccountToken: {} }] } }],
    },
    status: {
      phase: 'Running',
      qosClass: 'Burstable',
      startTime: at,
      podIP: '10.1.2.3',
      podIPs: [{ ip: '10.1.2.3' }],
      conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
        type,
        status: 'True',
        lastTransitionTime: at,
        lastProbeTime: null,
      })),
      containerStatuses: ['main', 'proxy'].map((container) => ({
        name: container,
        image: `registry.example/team/${container}:1.2.3`,
        imageID: `registry.example/team/${container}@sha256:${String(index).padStart(64, 'b')}`,
        containerID: `containerd://${String(index).padStart(64, 'c')}`,
        ready: true,
        restartCount: 0,
        started: true,
        state: { running: { startedAt: at } },
        lastState: {},
        allocatedResources: resourcesOf(container, index).requests,
        resources: resourcesOf(container, index),
      })),
    },
  };
}

function resourcesOf(name: string, index: number): { readonly requests: object; readonly limits: object } {
  const memory = name === 'main' ? 1024 + (index % 5) * 128 : 128;
  return {
    requests: { cpu: name === 'main' ? '450m' : '50m', memory: `${memory}Mi` },
    limits: { memory: `${memory * 2}Mi` },
  };
}

function container(name: string, index: number): object {
  return {
    name,
    image: `registry.example/team/${name}:1.2.3`,
    imagePullPolicy: 'IfNotPresent',
    env: Array.from({ length: 6 }, (_, at) => ({ name: `SETTING_${at}`, value: `value-${at}-of-${index}` })),
    resources: resourcesOf(name, index),
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    livenessProbe: { httpGet: { path: '/healthz', port: 8080, scheme: 'HTTP' }, periodSeconds: 10 },
    terminationMessagePath: '/dev/termination-log',
    volumeMounts: [{ name: 'token', mountPath: '/var/run/secrets/token', readOnly: true }],
  };
}

function budget(application: number): object {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: `application-${application}`, namespace: `team-${application % 20}` },
    spec: { maxUnavailable: 1, selector: { matchLabels: { app: `application-${application}` } } },
    status: { currentHealthy: 100, desiredHealthy: 99, disruptionsAllowed: 1, expectedPods: 100 },
  };
}

function priorityClass(value: number): object {
  return {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: `class-${value}` },
    value,
  };
}

function pending(): object {
  return waiting('pending', { priority: 4000 });
}

function member(index: number): object {
  return waiting(`training-${String(index).padStart(5, '0')}`, {
    priority: 4000,
    schedulingGroup: { podGroupName: 'training' },
  });
}

function waiting(name: string, spec: object): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: name },
    spec: {
      ...spec,
      containers: [{ name: 'main', resources: { requests: { cpu: '4', memory: '8Gi' } } }],
    },
    status: { phase: 'Pending' },
  };
}

function group(minCount: number): object {
  return {
    apiVersion: 'scheduling.k8s.io/v1beta1',
    kind: 'PodGroup',
    metadata: { name: 'training', namespace: 'default' },
    spec: { priority: 4000, schedulingPolicy: { gang: { minCount } }, disruptionMode: { single: {} } },
  };
}
