import { describe, expect, it } from 'vitest';
import { knownTaints } from '../../../../agent/decide/taints/known-taints.ts';

const TAINTS = [{ key: 'a', value: '', effect: 'NoExecute' }] as const;
const NODE = { name: 'n1', file: 'node.json' };
const OTHER =
  'node.json: it is the Node n1, and the pods here are on n2, so nobody is evicted for its taints; taints.node names the file of this node';
const HERE = [{ nodeName: 'n1' }];
const ELSEWHERE = [{ nodeName: 'n2' }];
const READ = { taints: TAINTS, ageMs: 0, node: NODE };

describe('what is known of the taints of this node', () => {
  it.each([
    ['is what was read, of the Node that the pods are on', READ, HERE, { taints: TAINTS, lack: undefined }],
    ['is nothing where it is another Node', READ, ELSEWHERE, { taints: undefined, lack: OTHER }],
    [
      'is what was read last while the file cannot be read, up to the limit',
      { ...READ, ageMs: 60_000, lack: 'node.json: broken.' },
      HERE,
      {
        taints: TAINTS,
        lack: 'node.json: broken; the taints that were read last stay in force for 1m0s (pods.maxAge)',
      },
    ],
    [
      'is too old after the limit',
      { ...READ, ageMs: 60_001, lack: 'node.json: broken' },
      HERE,
      {
        taints: TAINTS,
        lack: 'node.json: broken; the taints that were read last are older than 1m0s (pods.maxAge), so nobody is evicted for taints',
      },
    ],
    [
      'is nothing where the file cannot be read and was that of another Node: the former is told',
      { ...READ, ageMs: 5, lack: 'node.json: broken' },
      ELSEWHERE,
      {
        taints: undefined,
        lack: 'node.json: broken; nobody is evicted for taints until those of this node are known',
      },
    ],
    [
      'is nothing where the file was never read',
      { taints: undefined, ageMs: 0, lack: 'node.json: broken' },
      HERE,
      {
        taints: undefined,
        lack: 'node.json: broken; nobody is evicted for taints until those of this node are known',
      },
    ],
  ])('%s', (_sentence, read, pods, known) => {
    expect(knownTaints(read, pods, 60_000)).toEqual({ ...known, ageMs: read.ageMs });
  });
});
