import { describe, expect, it } from 'vitest';
import type { PlainRecord } from '../../../../config/text/plain-value.ts';
import { compositeNamed, podGroupNamed, podNamed, snapshotOf } from '../../../fakes/cluster.ts';

describe('a pod of a snapshot', () => {
  it('has what its scheduling needs', () => {
    const pod = podNamed('a', {
      spec: {
        preemptionPolicy: 'Never',
        nodeSelector: { zone: 'a' },
        schedulingGroup: { podGroupName: 'job' },
        hostNetwork: true,
        containers: [
          {
            name: 'main',
            ports: [
              { containerPort: 80 },
              { containerPort: 81, hostPort: 8081, protocol: 'UDP', hostIP: '10.0.0.1' },
            ],
          },
        ],
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'Exists' }] }],
            },
          },
        },
      },
      status: {
        nominatedNodeName: 'n',
        conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }],
      },
    });
    expect(snapshotOf(pod).pods).toMatchObject([
      {
        preemptionPolicy: 'Never',
        nominatedNodeName: 'n',
        nodeSelector: new Map([['zone', 'a']]),
        requiredNodeTerms: [
          { matchExpressions: [{ key: 'zone', operator: 'Exists', values: [] }], matchFields: [] },
        ],
        hostPorts: [
          { protocol: 'TCP', hostIp: '0.0.0.0', port: 80 },
          { protocol: 'UDP', hostIp: '10.0.0.1', port: 8081 },
        ],
        podGroupName: 'job',
        isPreemptedByScheduler: true,
        unmodelledUses: [],
      },
    ]);
  });

  it('has none of it where it says nothing', () => {
    const [pod] = snapshotOf(podNamed('a')).pods;
    expect(pod).toMatchObject({
      nodeSelector: new Map(),
      isPreemptedByScheduler: false,
      unmodelledUses: [],
    });
    const absent = [
      'preemptionPolicy',
      'nominatedNodeName',
      'requiredNodeTerms',
      'podGroupName',
      'hostPorts',
    ];
    expect(absent.filter((key) => pod !== undefined && key in pod)).toEqual([]);
  });
});

describe('a node of a snapshot', () => {
  it.each<[string, PlainRecord, PlainRecord | undefined]>([
    ['what pods may request', { allocatable: { cpu: '1' }, capacity: { cpu: '2' } }, { cpu: 1n }],
    ['the capacity where that is not stated', { capacity: { cpu: '2' } }, { cpu: 2n }],
    ['the capacity where that is empty', { allocatable: {}, capacity: { cpu: '2' } }, { cpu: 2n }],
    ['nothing that is known without both', { conditions: [] }, undefined],
  ])('has %s', (_, status, amounts) => {
    const [node] = snapshotOf({ kind: 'Node', metadata: { name: 'n' }, status }).nodes;
    const found = node?.allocatable && [...node.allocatable].map(([name, { unscaled }]) => [name, unscaled]);
    expect(found && Object.fromEntries(found)).toEqual(amounts);
  });

  it('has its conditions as written, and a cordon as a taint', () => {
    const { nodes } = snapshotOf({
      kind: 'Node',
      metadata: { name: 'n', labels: { zone: 'a' } },
      spec: { unschedulable: true, taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] },
      status: { conditions: [{ type: 'Ready', status: 'Unknown' }] },
    });
    expect(nodes).toEqual([
      {
        name: 'n',
        labels: new Map([['zone', 'a']]),
        taints: [
          { key: 'k', value: 'v', effect: 'NoSchedule' },
          { key: 'node.kubernetes.io/unschedulable', value: '', effect: 'NoSchedule' },
        ],
        conditions: [{ type: 'Ready', status: 'Unknown' }],
      },
    ]);
  });
});

describe('a group of a snapshot', () => {
  const BARE = { namespace: 'default', hasTopologyConstraint: false };

  it.each<readonly [string, PlainRecord, PlainRecord]>([
    ['nothing', {}, {}],
    ['the mode single', { disruptionMode: { single: {} } }, { disruptionMode: 'single' }],
    ['the mode all', { disruptionMode: { all: {} } }, { disruptionMode: 'all' }],
    ['the mode Pod of 1.36', { disruptionMode: 'Pod' }, { disruptionMode: 'single' }],
    ['the mode PodGroup of 1.36', { disruptionMode: 'PodGroup' }, { disruptionMode: 'all' }],
    ['a basic policy', { schedulingPolicy: { basic: {} } }, { policy: { kind: 'basic' } }],
    ['a gang', { schedulingPolicy: { gang: { minCount: 4 } } }, { policy: { kind: 'gang', minCount: 4 } }],
    [
      'priority and policy',
      { priority: 7, priorityClassName: 'c', preemptionPolicy: 'Never' },
      { priority: 7, priorityClassName: 'c', preemptionPolicy: 'Never' },
    ],
    ['a parent', { parentCompositePodGroupName: 'root' }, { parent: 'root' }],
    [
      'a topology',
      { schedulingConstraints: { topology: [{ key: 'zone' }] } },
      { hasTopologyConstraint: true },
    ],
  ])('says %s', (_, spec, expected) => {
    expect(snapshotOf(podGroupNamed('g', spec)).podGroups).toEqual([
      { kind: 'PodGroup', name: 'g', ...BARE, ...expected },
    ]);
  });

  it('of groups counts its minimum in groups', () => {
    const spec = { schedulingPolicy: { gang: { minGroupCount: 2 } }, disruptionMode: { all: {} } };
    expect(snapshotOf(compositeNamed('g', spec)).compositePodGroups).toEqual([
      {
        kind: 'CompositePodGroup',
        name: 'g',
        ...BARE,
        disruptionMode: 'all',
        policy: { kind: 'gang', minCount: 2 },
      },
    ]);
  });
});
