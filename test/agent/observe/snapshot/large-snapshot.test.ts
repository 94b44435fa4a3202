import { describe, expect, it } from 'vitest';
import { Failure } from '../../../../agent/exit.ts';
import { readSnapshotTexts } from '../../../../agent/observe/snapshot/read-snapshot.ts';
import type { PlainRecord } from '../../../../config/text/plain-value.ts';
import { nodeNamed, podNamed } from '../../../fakes/cluster.ts';

const PADDING = { annotations: { note: 'x'.repeat(2000) } };
const PODS = Array.from({ length: 600 }, (_, at) =>
  podNamed(`pod-${at}`, {
    node: 'n',
    requests: { cpu: `${at % 3}`, memory: '64Mi' },
    metadata: { ...PADDING, name: `pod-${at}` },
  }),
);

/** More than a million characters, which are read item by item. */
function largeText(more: readonly PlainRecord[] = []): string {
  const text = JSON.stringify({ kind: 'List', items: [nodeNamed('n'), ...PODS, ...more] });
  expect(text.length).toBeGreaterThan(1024 * 1024);
  return text;
}

function sentence(text: string): string {
  try {
    readSnapshotTexts([{ file: 'f', text }]);
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
  throw new Error('it was read');
}

describe('a large snapshot', () => {
  it('is read like a small one', () => {
    const small = [nodeNamed('n'), ...PODS].map((object, at) => ({
      file: `${at}`,
      text: JSON.stringify(object),
    }));
    expect(readSnapshotTexts([{ file: 'f', text: largeText() }])).toEqual(readSnapshotTexts(small));
  });

  it('has places for what is wrong with it', () => {
    const text = largeText([podNamed('last', { spec: { priority: 'high' } })]);
    const column = text.lastIndexOf('"priority":"high"') + 1;
    expect(sentence(text)).toBe(
      `f:1:${column}: items[601].spec.priority: Pod default/last: expected a whole number of 32 bits, found a string`,
    );
  });

  it('is read whole where an item is no JSON, which YAML can make good', { timeout: 60_000 }, () => {
    const text = largeText().replace('"kind":"Node"', "'kind': Node");
    expect(readSnapshotTexts([{ file: 'f', text }]).snapshot.pods).toHaveLength(600);
    expect(sentence(largeText().replace('"kind":"Node"', '"kind":"Node'))).toMatch(/^f:1:\d+: is not YAML: /);
  });
});
