import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanJson } from '../../../config/text/json-scan.ts';

/** Integers beyond 2^53 are exact here and doubles there. */
function asDouble(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

describe('scanJson', () => {
  it('gives what JSON.parse gives, however the text is laid out', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2), (compact, indent) => {
        const value: unknown = JSON.parse(compact);
        const text = JSON.stringify(value, undefined, indent);
        const scan = scanJson(text, 'without-places');
        expect(JSON.stringify(scan.value, asDouble)).toBe(JSON.stringify(value));
        expect(scan.root).toBeUndefined();
        expect(scan.duplicates).toEqual([]);
      }),
    );
  });

  it('reads values that are neither list nor map', () => {
    expect(['null', '"a"', '-1.5', 'true'].map((text) => scanJson(text, 'with-places').value)).toEqual([
      null,
      'a',
      -1.5,
      true,
    ]);
  });

  it('notes places only where they are asked for', () => {
    const { root } = scanJson(' {"a": [1]}', 'with-places');
    expect([
      root?.offset,
      root?.children.get('a')?.offset,
      root?.children.get('a')?.children.get(0)?.offset,
    ]).toEqual([1, 2, 8]);
  });
});
