import { describe, expect, it } from 'vitest';
import { readNodeObject } from '../../../agent/observe/node-object.ts';
import { readSnapshotTexts } from '../../../agent/observe/snapshot/read-snapshot.ts';
import type { PlainRecord } from '../../../config/text/plain-value.ts';

const node = (...taints: readonly PlainRecord[]): PlainRecord => ({
  kind: 'Node',
  metadata: { name: 'n1' },
  spec: { taints },
});
const A: PlainRecord = { key: 'k', value: 'v', effect: 'NoExecute' };
const EFFECTS = 'give NoSchedule, PreferNoSchedule, NoExecute, written like that';

describe('the taints of a Node', () => {
  it('may have a key with several effects', () => {
    const read = readNodeObject(node(A, { ...A, effect: 'NoSchedule' }));
    expect(read.ok && read.value.taints.map(({ effect }) => effect)).toEqual(['NoExecute', 'NoSchedule']);
  });

  it.each<[string, readonly PlainRecord[], string, string]>([
    [
      'a key twice with one effect, whatever the values',
      [A, { ...A, effect: 'NoSchedule' }, { key: 'k', effect: 'NoExecute' }],
      'spec.taints.2',
      'the taint k:NoExecute is there twice; a node has a key once with an effect, so remove one',
    ],
    [
      'an effect that nobody knows',
      [{ ...A, effect: 'Evict' }],
      'spec.taints.0.effect',
      `"Evict" is no effect of a taint; ${EFFECTS}`,
    ],
    ['no effect', [A, { key: 'b' }], 'spec.taints.1.effect', `a taint needs an effect; ${EFFECTS}`],
    [
      'no key',
      [{ effect: 'NoExecute' }],
      'spec.taints.0.key',
      '"" is no key of a taint: a key is 1 to 63 letters, digits, dashes, underscores and dots, and begins and ends with a letter or digit',
    ],
    [
      'a value that is none',
      [{ ...A, value: '\u202ev' }],
      'spec.taints.0.value',
      '"\u202ev" is no value of a taint: a value is at most 63 letters, digits, dashes, underscores and dots, and begins and ends with a letter or digit',
    ],
  ])('with %s are refused, in a file and in a snapshot', (_what, taints, path, message) => {
    const value = node(...taints);
    expect(readNodeObject(value)).toEqual({ ok: false, message: `${path}: ${message}` });
    const text = JSON.stringify(value);
    expect(() => readSnapshotTexts([{ file: 'snapshot.json', text }])).toThrow(
      `${path.replace(/\.(\d)/, '[$1]')}: Node n1: ${message}`,
    );
  });
});
