import { describe, expect, it } from 'vitest';
import { Failure } from '../../../agent/exit.ts';
import { readNodeObject, readNodeText } from '../../../agent/observe/node-object.ts';
import { parseQuantity, type Quantity } from '../../../config/numbers/quantity.ts';
import type { PlainRecord, PlainValue } from '../../../config/text/plain-value.ts';

const node = (more: PlainRecord = {}): PlainRecord => ({ kind: 'Node', metadata: { name: 'n1' }, ...more });
function quantity(text: string): Quantity {
  const reading = parseQuantity(text);
  if (!reading.ok) throw new Error(reading.message);
  return reading.value;
}

const NOTHING = {
  name: 'n1',
  labels: new Map(),
  hugepagesCapacityBytes: 0n,
  capacity: new Map(),
  taints: [],
  isUnschedulable: false,
  conditions: [],
};
const UNSCHEDULABLE = { key: 'node.kubernetes.io/unschedulable', value: '', effect: 'NoSchedule' };

describe('a v1 Node', () => {
  it('gives what is needed of it', () => {
    const value = node({
      metadata: { name: 'n1', labels: { zone: 'a' } },
      spec: {
        taints: [
          { key: 'b', value: 'v', effect: 'NoSchedule' },
          { key: 'a', effect: 'NoExecute' },
        ],
      },
      status: {
        capacity: { memory: '16Gi', 'hugepages-2Mi': '1Gi', 'hugepages-1Gi': '2Gi', cpu: '8' },
        allocatable: { memory: '15Gi', cpu: '7900m', pods: 110 },
        nodeInfo: { kubeletVersion: 'v1.36.1', osImage: 'Debian' },
        conditions: [
          { type: 'Ready', status: 'True' },
          { type: 'DiskPressure', status: 'False' },
          { type: 'MemoryPressure', status: 'True' },
          { type: 'PIDPressure', status: 'Unknown' },
        ],
      },
    });
    expect(readNodeObject(value)).toEqual({
      ok: true,
      value: {
        name: 'n1',
        labels: new Map([['zone', 'a']]),
        kubeletVersion: 'v1.36.1',
        memoryCapacityBytes: 16n << 30n,
        memoryAllocatableBytes: 15n << 30n,
        hugepagesCapacityBytes: 3n << 30n,
        capacity: new Map([
          ['memory', quantity('16Gi')],
          ['hugepages-2Mi', quantity('1Gi')],
          ['hugepages-1Gi', quantity('2Gi')],
          ['cpu', quantity('8')],
        ]),
        taints: [
          { key: 'b', value: 'v', effect: 'NoSchedule' },
          { key: 'a', value: '', effect: 'NoExecute' },
        ],
        allocatable: new Map([
          ['memory', quantity('15Gi')],
          ['cpu', quantity('7900m')],
          ['pods', quantity('110')],
        ]),
        isUnschedulable: false,
        conditions: [
          { type: 'DiskPressure', status: 'False' },
          { type: 'MemoryPressure', status: 'True' },
          { type: 'PIDPressure', status: 'Unknown' },
          { type: 'Ready', status: 'True' },
        ],
      },
    });
  });
  it('leaves out what it does not say', () => {
    expect(readNodeObject(node())).toEqual({ ok: true, value: NOTHING });
  });
  it.each<[string, PlainRecord, readonly PlainRecord[], PlainRecord?]>([
    ['unschedulable', { unschedulable: true }, [UNSCHEDULABLE], { isCordonUnlisted: true }],
    [
      'unschedulable and says so in a taint',
      { unschedulable: true, taints: [UNSCHEDULABLE] },
      [UNSCHEDULABLE],
    ],
    ['schedulable', { unschedulable: false }, []],
    [
      'unschedulable with that key and another effect',
      { unschedulable: true, taints: [{ ...UNSCHEDULABLE, effect: 'NoExecute' }] },
      [{ ...UNSCHEDULABLE, effect: 'NoExecute' }, UNSCHEDULABLE],
      { isCordonUnlisted: true },
    ],
  ])('that is %s', (_what, spec, taints, more = {}) => {
    expect(readNodeObject(node({ spec }))).toEqual({
      ok: true,
      value: { ...NOTHING, taints, isUnschedulable: spec['unschedulable'] === true, ...more },
    });
  });
  it.each<[string, PlainValue]>([
    ['a List', { kind: 'List', items: [node()] }],
    ['a NodeList, whose items have no kind', { kind: 'NodeList', items: [{ metadata: { name: 'n1' } }] }],
  ])('may be the only one in %s', (_what, value) => {
    expect(readNodeObject(value)).toEqual({ ok: true, value: NOTHING });
  });
  it.each<[PlainValue, string]>([
    [null, 'a v1 Node is wanted here, and this is something without a kind'],
    [{ kind: 'Pod' }, 'a v1 Node is wanted here, and this is a Pod'],
    [{ kind: 'List' }, 'the list holds 0 objects, and one Node is wanted; give the one that is meant'],
    [
      { kind: 'NodeList', items: [node(), node()] },
      'the list holds 2 objects, and one Node is wanted; give the one that is meant',
    ],
    [{ kind: 'List', items: [{ kind: 'Pod' }] }, 'a v1 Node is wanted here, and the list holds a Pod'],
    [
      { kind: 'List', items: [{ metadata: { name: 'n1' } }] },
      'a v1 Node is wanted here, and the list holds something without a kind',
    ],
    [{ kind: 'Node' }, 'metadata.name: the node has no name'],
    [node({ spec: { taints: {} } }), 'spec.taints: expected a list, found a map'],
  ])('%j is refused', (value, message) => {
    expect(readNodeObject(value)).toEqual({ ok: false, message });
  });
});

describe('the text of a node', () => {
  const failure = (text: string): unknown => {
    try {
      return readNodeText({ file: 'node.yaml', text });
    } catch (error) {
      return error instanceof Failure ? [error.status, error.message] : error;
    }
  };
  it('is YAML or JSON', () => {
    expect(failure('kind: Node\nmetadata: {name: n1}\n---\nkind: Pod\n')).toEqual(NOTHING);
    expect(failure('{"kind":"Node","metadata":{"name":"n1"}}')).toEqual(NOTHING);
  });
  it('is refused by its file name', () => {
    expect(failure('')).toEqual([
      65,
      'node.yaml: the file is empty; give a v1 Node (kubectl get node NAME -o yaml)',
    ]);
    expect(failure('kind: Pod')).toEqual([65, 'node.yaml: a v1 Node is wanted here, and this is a Pod']);
    expect(failure('a: [')).toEqual([65, expect.stringMatching(/^node\.yaml:1/)]);
  });
});
