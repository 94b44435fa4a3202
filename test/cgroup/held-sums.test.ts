import { expect, it } from 'vitest';
import { readDifferences } from '../../cgroup/differences.ts';
import { holdUp, placesOfSums } from '../../cgroup/held-sums.ts';
import { placeKey } from '../../cgroup/journal.ts';
import { LiteralTree } from '../fakes/literal-tree.ts';
import { want } from '../fakes/memory-qos-scene.ts';

const SUMS = placesOfSums({ kubepods: 'pods', burstable: 'pods/burstable' });
const WANTED = [
  want('pods', 'memory.min', 4096n),
  want('pods', 'memory.low', 8192n),
  want('pods/burstable', 'memory.low', 8192n),
  want('pods/a', 'memory.min', 0n),
  want(null, 'memory.low', 0n),
];

const differences = (min: string, low: string, tierLow: string) =>
  readDifferences(
    new LiteralTree({
      'pods/memory.min': min,
      'pods/memory.low': low,
      'pods/burstable/memory.low': tierLow,
      'pods/a/memory.min': '12288\n',
    }),
    WANTED,
  );

it('holds up lowerings of sums, and nothing else', () => {
  const found = differences('8192\n', '4096\n', 'max\n');
  const { differences: left, held } = holdUp(found, SUMS);
  expect(left.differing.map(({ cgroup, file }) => `${cgroup}/${file}`)).toEqual([
    'pods/memory.low',
    'pods/a/memory.min',
  ]);
  expect(left.summary).toEqual({ write: 2, keep: 2, missing: 1 });
  expect(held).toEqual(
    new Set([
      placeKey({ cgroup: 'pods', file: 'memory.min' }),
      placeKey({ cgroup: 'pods/burstable', file: 'memory.low' }),
    ]),
  );
});

it('holds up what cannot be read', () => {
  const { differences: left } = holdUp(differences('!EIO', 'junk', '8192\n'), SUMS);
  expect(left.differing.map(({ cgroup }) => cgroup)).toEqual(['pods/a']);
  expect(left.summary).toEqual({ write: 1, keep: 3, missing: 1 });
  expect(left.warnings).toHaveLength(2);
});

it('leaves differences as they are where nothing is held up', () => {
  const found = differences('8192\n', '4096\n', 'max\n');
  expect(holdUp(found)).toEqual({ differences: found, held: new Set() });
  const raises = differences('0\n', '0\n', '0\n');
  expect(holdUp(raises, SUMS)).toEqual({ differences: raises, held: new Set() });
});
