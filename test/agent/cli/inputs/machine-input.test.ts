import { describe, expect, it } from 'vitest';
import { machineOf } from '../../../../agent/cli/inputs/machine-input.ts';
import type { NodeObject } from '../../../../agent/model/node.ts';

const nodeOf = (memoryCapacityBytes: bigint): NodeObject => ({
  name: 'n1',
  memoryCapacityBytes,
  hugepagesCapacityBytes: 0n,
  taints: [],
  labels: new Map(),
  capacity: new Map(),
  isUnschedulable: false,
  conditions: [],
});
const captured = { kubeletDropIns: [], nodeqosDropIns: [], podWarnings: [], memoryCapacityBytes: 3n };

describe('the memory capacity', () => {
  it.each([
    ['is what the command line says', { memoryCapacity: '1', node: 'n.yaml' }, nodeOf(2n), captured, 1n],
    [
      'else that of a Node given now, before what a capture was given',
      { node: 'n.yaml' },
      nodeOf(2n),
      captured,
      2n,
    ],
    ['else what the capture was given, before its Node', {}, nodeOf(2n), captured, 3n],
    ['else that of the captured Node', {}, nodeOf(2n), undefined, 2n],
    ['is not known where nothing says it', {}, undefined, undefined, undefined],
    ['is not known where a Node says 0', { node: 'n.yaml' }, nodeOf(0n), undefined, undefined],
  ])('%s', (...row) => {
    const [, args, node, capture, bytes] = row;
    expect(machineOf(args, undefined, node, capture)).toEqual({
      pageSizeBytes: 4096,
      warnings: [],
      ...(bytes === undefined ? {} : { memoryCapacityBytes: bytes }),
    });
  });
});
