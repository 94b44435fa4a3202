import { describe, expect, it } from 'vitest';
import { Loads, resourcesOf } from '../../../../agent/whatif/fit/load.ts';
import { type NodeFit, nodeFit } from '../../../../agent/whatif/fit/node-fit.ts';
import { nodeWarnings } from '../../../../agent/whatif/fit/node-warnings.ts';
import { occupiedNodes, roomFor } from '../../../../agent/whatif/fit/occupied-nodes.ts';
import type { PlainRecord, PlainValue } from '../../../../config/text/plain-value.ts';
import { type ClusterPodParts, nodeNamed, podNamed, snapshotOf } from '../../../fakes/cluster.ts';

/** How the pod `p`, of priority 100, fits on the first node of these objects. */
function fitOf(...objects: readonly PlainRecord[]): NodeFit {
  const snapshot = snapshotOf(...objects);
  const pod = snapshot.pods.find(({ name }) => name === 'p');
  const [occupied] = occupiedNodes(snapshot);
  if (pod === undefined || occupied === undefined) throw new Error('a pod p and a node are wanted');
  const loads = new Loads(resourcesOf([pod]));
  return nodeFit({ pod, load: loads.of(pod) }, occupied.node, roomFor([pod], 100, occupied, loads));
}

const FITS: NodeFit = { kind: 'fits' };
const unschedulable = (...reasons: readonly string[]): NodeFit => ({ kind: 'unschedulable', reasons });
const unresolvable = (...reasons: readonly string[]): NodeFit => ({ kind: 'unresolvable', reasons });

const p = (parts: ClusterPodParts = {}): PlainRecord => podNamed('p', { priority: 100, ...parts });
const other = (parts: ClusterPodParts = {}): PlainRecord => podNamed('other', { node: 'n', ...parts });
const full = other({ requests: 'XL' });

describe('resources', () => {
  it.each<readonly [string, readonly PlainRecord[], NodeFit]>([
    ['what is left is exactly enough', [nodeNamed('n'), p({ requests: 'L' }), other()], FITS],
    [
      'a thousandth of a cpu too little',
      [nodeNamed('n'), p({ requests: { cpu: '301m' } }), other()],
      unschedulable('cpu: 301m wanted, 300m free'),
    ],
    [
      'cpu finer than a thousandth is rounded up, once for the whole pod',
      [nodeNamed('n'), p({ requests: { cpu: '300001u' } }), other()],
      unschedulable('cpu: 301m wanted, 300m free'),
    ],
    [
      'a byte too little',
      [
        nodeNamed('n', { allocatable: { memory: '1Gi' } }),
        p({ requests: { memory: '512Mi' } }),
        other({ requests: { memory: '536870913' } }),
      ],
      unschedulable('memory: 512Mi wanted, 536870911 free'),
    ],
    [
      'local storage and devices count too, and all that is short is named',
      [
        nodeNamed('n', { allocatable: { 'ephemeral-storage': '2Gi', 'example.com/gpu': '2' } }),
        p({ requests: { 'ephemeral-storage': '2Gi', 'example.com/gpu': '2' } }),
        other({ requests: { 'ephemeral-storage': '1Gi', 'example.com/gpu': '1' } }),
      ],
      unschedulable('ephemeral-storage: 2Gi wanted, 1Gi free', 'example.com/gpu: 2 wanted, 1 free'),
    ],
    [
      'more than the node has, even if it were empty, is not resolved by anybody’s end',
      [nodeNamed('n'), p({ requests: { cpu: '501m' } })],
      unresolvable('cpu: 501m wanted, 500m free even if it were empty'),
    ],
    [
      'a resource that the node does not name it does not have',
      [nodeNamed('n'), p({ requests: { 'example.com/gpu': '1' } })],
      unresolvable('example.com/gpu: 1 wanted, 0 free even if it were empty'),
    ],
    [
      'who asks for nothing fits where all is taken, even more than there is',
      [nodeNamed('n'), p({ requests: { cpu: '0' } }), other({ requests: { cpu: '2' } })],
      FITS,
    ],
    [
      'what is free can be below zero',
      [nodeNamed('n'), p({ requests: 'S' }), other({ requests: { cpu: '2' } })],
      unschedulable('cpu: 100m wanted, -1500m free'),
    ],
    [
      'a node that says nothing of itself fits nobody',
      [{ kind: 'Node', metadata: { name: 'n' } }, p()],
      unresolvable('its status does not say what pods may request of it'),
    ],
    [
      'overhead counts',
      [nodeNamed('n'), p({ requests: 'L', spec: {} }), other({ spec: { overhead: { cpu: '1m' } } })],
      unschedulable('cpu: 300m wanted, 299m free'),
    ],
  ])('%s', (_, objects, expected) => {
    expect(fitOf(...objects)).toEqual(expected);
  });
});

describe('who takes a share', () => {
  it.each<readonly [string, readonly PlainRecord[], NodeFit]>([
    ['a finished pod does not', [other({ requests: 'XL', status: { phase: 'Succeeded' } })], FITS],
    ['nor one that failed', [other({ requests: 'XL', status: { phase: 'Failed' } })], FITS],
    [
      'a terminating one does',
      [other({ requests: 'XL', metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })],
      unschedulable('cpu: 200m wanted, 0 free'),
    ],
    ['a pod of another node does not', [podNamed('other', { requests: 'XL', node: 'm' })], FITS],
    ['a pending pod does not', [podNamed('other', { requests: 'XL' })], FITS],
    [
      'one that the node is being made free for does, if it is as important',
      [podNamed('other', { requests: 'XL', priority: 100, status: { nominatedNodeName: 'n' } })],
      unschedulable('cpu: 200m wanted, 0 free'),
    ],
    [
      'not if it is less important',
      [podNamed('other', { requests: 'XL', priority: 99, status: { nominatedNodeName: 'n' } })],
      FITS,
    ],
    [
      'nor if it has found its place on another node',
      [podNamed('other', { requests: 'XL', priority: 100, node: 'm', status: { nominatedNodeName: 'n' } })],
      FITS,
    ],
  ])('%s', (_, objects, expected) => {
    expect(fitOf(nodeNamed('n'), p(), ...objects)).toEqual(expected);
  });

  it('the pod itself takes nothing of the node that is being made free for it', () => {
    expect(fitOf(nodeNamed('n'), p({ requests: 'L', status: { nominatedNodeName: 'n' } }))).toEqual(FITS);
  });
});

describe('number of pods', () => {
  const small = { requests: 'S' } as const;
  it('ends at what the node takes', () => {
    const two = nodeNamed('n', { allocatable: { pods: '2' } });
    expect(fitOf(two, p(small), other(small))).toEqual(FITS);
    expect(fitOf(two, p(small), other(small), podNamed('third', { ...small, node: 'n' }))).toEqual(
      unschedulable('no place for another pod: it takes 2'),
    );
  });

  it('does not end where the node does not say it, with a warning', () => {
    const node: PlainRecord = {
      kind: 'Node',
      metadata: { name: 'n' },
      status: { allocatable: { cpu: '1' } },
    };
    expect(fitOf(node, p(small))).toEqual(FITS);
    const silent = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ kind: 'Node', metadata: { name } }));
    expect(
      nodeWarnings(snapshotOf(node, ...silent).nodes).map(({ code, message }) => [code, message]),
    ).toEqual([
      [
        'allocatable-unknown',
        'nodes a, b, c, d, e and 1 more: neither status.allocatable nor status.capacity is given, so that nothing is known to fit',
      ],
      [
        'pods-not-limited',
        'node n: it is not given how many pods there may be, so that any number of them is taken to fit',
      ],
    ]);
    expect(nodeWarnings(snapshotOf(nodeNamed('n')).nodes)).toEqual([]);
  });
});

/** A spec with one container that takes this port. */
const port = (hostPort: number, more: PlainRecord = {}): PlainRecord => ({
  containers: [{ name: 'main', ports: [{ containerPort: 1, hostPort, ...more }] }],
});

describe('host ports', () => {
  const taken = (text: string) => unschedulable(`host port ${text} is taken`);
  it.each<readonly [string, PlainRecord, PlainRecord, NodeFit]>([
    ['one port twice', port(80), port(80), taken('80/TCP')],
    ['another port', port(80), port(81), FITS],
    ['another protocol', port(80), port(80, { protocol: 'UDP' }), FITS],
    ['one address', port(80, { hostIP: '10.0.0.1' }), port(80, { hostIP: '10.0.0.1' }), taken('80/TCP')],
    ['two addresses', port(80, { hostIP: '10.0.0.1' }), port(80, { hostIP: '10.0.0.2' }), FITS],
    ['one address, and all', port(80, { hostIP: '10.0.0.1' }), port(80), taken('80/TCP')],
    ['all, and one address', port(80), port(80, { hostIP: '10.0.0.1' }), taken('80/TCP')],
    [
      'a port of a container on the host’s network',
      port(80),
      { hostNetwork: true, containers: [{ name: 'main', ports: [{ containerPort: 80 }] }] },
      taken('80/TCP'),
    ],
    ['a port of a container on its own', port(80), port(0, { containerPort: 80 }), FITS],
    [
      'a port of a sidecar',
      port(80),
      {
        initContainers: [{ name: 's', restartPolicy: 'Always', ports: [{ containerPort: 1, hostPort: 80 }] }],
      },
      taken('80/TCP'),
    ],
    [
      'a port of an init container, which has ended by then',
      port(80),
      { initContainers: [{ name: 's', ports: [{ containerPort: 1, hostPort: 80 }] }] },
      FITS,
    ],
  ])('%s', (_, own, others, expected) => {
    expect(fitOf(nodeNamed('n'), p({ spec: own }), other({ spec: others }))).toEqual(expected);
  });
});

describe('what about the node keeps a pod away', () => {
  const node = nodeNamed('n', { labels: { zone: 'a', size: '10' } });
  const affinity = (...terms: readonly PlainRecord[]): PlainRecord => ({
    affinity: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
    },
  });
  const expression = (key: string, operator: string, ...values: readonly PlainValue[]): PlainRecord =>
    affinity({ matchExpressions: [{ key, operator, values }] });
  const field = (operator: string, ...values: readonly string[]): PlainRecord =>
    affinity({ matchFields: [{ key: 'metadata.name', operator, values }] });

  it.each<readonly [string, PlainRecord, boolean]>([
    ['its labels meet the node selector', { nodeSelector: { zone: 'a' } }, true],
    ['In with its value', expression('zone', 'In', 'b', 'a'), true],
    ['In with others', expression('zone', 'In', 'b'), false],
    ['In without the label', expression('rack', 'In', 'a'), false],
    ['NotIn with others', expression('zone', 'NotIn', 'b'), true],
    ['NotIn with its value', expression('zone', 'NotIn', 'a'), false],
    ['NotIn without the label', expression('rack', 'NotIn', 'a'), true],
    ['Exists', expression('zone', 'Exists'), true],
    ['Exists without the label', expression('rack', 'Exists'), false],
    ['DoesNotExist', expression('zone', 'DoesNotExist'), false],
    ['DoesNotExist without the label', expression('rack', 'DoesNotExist'), true],
    ['Gt with less', expression('size', 'Gt', '9'), true],
    ['Gt with as much', expression('size', 'Gt', '10'), false],
    ['Lt with more', expression('size', 'Lt', '+11'), true],
    ['Lt with as much', expression('size', 'Lt', '10'), false],
    ['Gt with a negative number', expression('size', 'Gt', '-9'), true],
    ['Gt of a label that is no number', expression('zone', 'Gt', '9'), false],
    ['Lt with what is no number', expression('size', 'Lt', '9.5'), false],
    ['Lt with what 64 bits do not hold', expression('size', 'Lt', '9223372036854775808'), false],
    ['Gt with two values', expression('size', 'Gt', '1', '2'), false],
    ['an operator that nobody knows', expression('zone', 'Is', 'a'), false],
    ['NotIn without values, which is no requirement', expression('zone', 'NotIn'), false],
    ['Exists with a value, which is no requirement', expression('zone', 'Exists', 'a'), false],
    ['DoesNotExist with a value, which is no requirement', expression('rack', 'DoesNotExist', 'a'), false],
    ['a field', field('In', 'n'), true],
    ['a field of another node', field('In', 'm'), false],
    ['not another node', field('NotIn', 'm'), true],
    ['a field with two values', field('In', 'n', 'm'), false],
    ['a field with another operator', field('Exists'), false],
    ['another field', affinity({ matchFields: [{ key: 'spec.x', operator: 'In', values: ['n'] }] }), false],
    ['a term that says nothing', affinity({}), false],
    ['no terms', affinity(), false],
    [
      'one of two terms',
      affinity(
        { matchExpressions: [{ key: 'zone', operator: 'In', values: ['b'] }] },
        { matchExpressions: [{ key: 'zone', operator: 'Exists' }] },
      ),
      true,
    ],
    [
      'half of a term',
      affinity({
        matchExpressions: [{ key: 'zone', operator: 'Exists' }],
        matchFields: [{ key: 'metadata.name', operator: 'In', values: ['m'] }],
      }),
      false,
    ],
    [
      'what is only preferred',
      { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1 }] } } },
      true,
    ],
  ])('%s', (_, spec, isMet) => {
    expect(fitOf(node, p({ spec }))).toEqual(
      isMet ? FITS : unresolvable('it does not meet the required node affinity'),
    );
  });

  it('its labels do not meet the node selector', () => {
    const spec = { nodeSelector: { zone: 'a', size: '11' } };
    expect(fitOf(node, p({ spec }), full)).toEqual(unresolvable('its labels do not meet the node selector'));
  });

  it.each<readonly [string, PlainRecord, readonly PlainRecord[], NodeFit]>([
    [
      'a taint, the first of two',
      {
        taints: [
          { key: 'a', effect: 'PreferNoSchedule' },
          { key: 'b', value: 'v', effect: 'NoSchedule' },
          { key: 'c', effect: 'NoExecute' },
        ],
      },
      [],
      unresolvable('its taint b=v:NoSchedule is not tolerated'),
    ],
    [
      'a taint that is tolerated',
      { taints: [{ key: 'b', value: 'v', effect: 'NoSchedule' }] },
      [{ key: 'b', operator: 'Exists' }],
      FITS,
    ],
    [
      'a cordon',
      { unschedulable: true },
      [],
      unresolvable('its taint node.kubernetes.io/unschedulable:NoSchedule is not tolerated'),
    ],
    [
      'a cordon that is tolerated',
      { unschedulable: true },
      [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }],
      FITS,
    ],
  ])('%s', (_, spec, tolerations, expected) => {
    expect(fitOf(nodeNamed('n', { spec }), p({ spec: { tolerations } }))).toEqual(expected);
  });
});
