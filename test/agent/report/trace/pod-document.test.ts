import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../agent/model/pod.ts';
import { readPodDocuments } from '../../../../agent/observe/pods/pod-documents.ts';
import { podDocument, podListText } from '../../../../agent/report/trace/pod-document.ts';
import { compareQuantities } from '../../../../config/numbers/quantity.ts';
import { podOf } from '../../../fakes/pods.ts';

/** The pods again, after they were written down and read. */
function again(pods: readonly Pod[]): readonly Pod[] {
  const read = readPodDocuments({ file: 'pods.json', text: podListText(pods) });
  if (!read.ok) throw new Error(read.message);
  expect(read.value.warnings).toEqual([]);
  return read.value.pods;
}

/** Amounts compare by value: 1.5Gi is written as 1536Mi, which is the same amount in another notation. */
function plain(pods: readonly Pod[]): unknown {
  return JSON.parse(
    JSON.stringify(pods, (_, value: unknown) => {
      if (value instanceof Map) return [...(value as ReadonlyMap<string, unknown>)];
      if (typeof value === 'object' && value !== null && 'unscaled' in value) return amount(value as never);
      return typeof value === 'bigint' ? String(value) : value;
    }),
  );
}

function amount(quantity: { unscaled: bigint; exponent: number }): string {
  let { unscaled, exponent } = quantity;
  while (unscaled !== 0n && unscaled % 10n === 0n) {
    unscaled /= 10n;
    exponent += 1;
  }
  return unscaled === 0n ? '0' : `${unscaled}e${exponent}`;
}

const STATUS = {
  phase: 'Running',
  qosClass: 'Burstable',
  startTime: '2026-01-01T00:00:00Z',
  containerStatuses: [{ name: 'a', containerID: `cri-o://${'1'.repeat(64)}`, state: { running: {} } }],
  initContainerStatuses: [{ name: 'i', state: { terminated: { exitCode: 0 } } }],
};

const PODS: readonly [string, Pod][] = [
  ['with next to nothing', podOf({ spec: { containers: [{ name: 'a' }] } })],
  [
    'with all that counts',
    podOf({
      metadata: {
        namespace: 'ns',
        uid: 'u',
        deletionTimestamp: '2026-01-01T00:00:00Z',
        labels: { a: 'b' },
        ownerReferences: [{ kind: 'ReplicaSet' }, { kind: 'DaemonSet', controller: true }],
      },
      spec: {
        nodeName: 'n',
        hostNetwork: true,
        priority: -5,
        priorityClassName: 'low',
        terminationGracePeriodSeconds: 7,
        resources: { requests: { memory: '1.1Gi' }, limits: { memory: '2Gi' } },
        overhead: { memory: '10Mi' },
        tolerations: [
          { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 },
          { operator: 'Odd' },
        ],
        volumes: [
          { name: 'v1', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
          { name: 'v2', emptyDir: {} },
          { name: 'v3', hostPath: { path: '/x' } },
          { name: 'v4', configMap: { name: 'c' } },
          { name: 'v5', secret: { secretName: 's' } },
          { name: 'v6', gitRepo: { repository: 'r' } },
        ],
        initContainers: [{ name: 'i' }, { name: 's', restartPolicy: 'Always' }],
        containers: [
          { name: 'a', resources: { requests: { cpu: '70m', memory: '0' }, limits: { memory: '1Gi' } } },
        ],
        ephemeralContainers: [{ name: 'e' }],
      },
      status: STATUS,
    }),
  ],
  [
    'that is in a PodGroup',
    {
      ...podOf({ metadata: { namespace: 'ml' }, spec: { schedulingGroup: { podGroupName: 'w' } } }),
      group: { name: 'ml/w', root: 'ml/w', priority: -3 },
    },
  ],
  [
    'that is in a group of groups',
    {
      ...podOf({ metadata: { namespace: 'ml' }, spec: { schedulingGroup: { podGroupName: 'x' } } }),
      group: { name: 'ml/x', root: 'ml/job', priority: 7 },
    },
  ],
  [
    'that is in a group that nobody knows',
    podOf({ metadata: { namespace: 'ml' }, spec: { schedulingGroup: { podGroupName: 'y' } } }),
  ],
  [
    'that is a mirror',
    podOf({
      metadata: {
        uid: 'api',
        annotations: {
          'kubernetes.io/config.mirror': 'hash',
          'kubernetes.io/config.hash': 'hash',
          'kubernetes.io/config.source': 'file',
        },
      },
    }),
  ],
  [
    'that is static',
    podOf({ metadata: { uid: 'own', annotations: { 'kubernetes.io/config.source': 'http' } } }),
  ],
];

describe('a pod', () => {
  it.each(PODS)('%s is the same one after it was written down', (_, pod) => {
    expect(plain(again([pod]))).toEqual(plain([pod]));
  });

  it('keeps its amounts exactly', () => {
    const pod = PODS[1]?.[1];
    const before = pod?.podLevel?.requests.get('memory');
    const after = pod && again([pod])[0]?.podLevel?.requests.get('memory');
    expect(before && after && compareQuantities(before, after)).toBe(0);
  });

  it('is written with nothing in it that nodeqos does not know', () => {
    const pod = podOf({
      metadata: { name: 'p', namespace: 'ns', annotations: { secret: 'x' } },
      spec: { containers: [{ name: 'a', image: 'i', env: [], args: ['x'], command: ['y'], resources: {} }] },
    });
    expect(podDocument(pod)).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 'ns' },
      spec: { containers: [{ name: 'a' }] },
      status: {},
    });
  });

  const data = process.env['NODEQOS_FIXTURES'];
  it.skipIf(data === undefined)(
    'of every manifest at hand is the same one (NODEQOS_FIXTURES is unset)',
    () => {
      const folder = join(data ?? '', 'pods');
      let count = 0;
      for (const name of readdirSync(folder).filter((file) => /\.(yaml|json)$/.test(file))) {
        const read = readPodDocuments({ file: name, text: readFileSync(join(folder, name), 'utf8') });
        if (read.ok) {
          count += read.value.pods.length;
          expect([name, plain(again(read.value.pods))]).toEqual([name, plain(read.value.pods)]);
        }
      }
      expect(count).toBeGreaterThan(20);
    },
  );
});
