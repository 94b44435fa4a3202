import { expect, it } from 'vitest';
import { settingsDiff } from '../../../agent/decide/settings-diff.ts';

it.each([
  {
    name: 'says nothing of equal settings',
    before: { a: 1, b: { c: [1, 2n] } },
    after: { a: 1, b: { c: [1, 2n] } },
    lines: [],
  },
  {
    name: 'names a nested key by its path',
    before: { loop: { intervalMs: 1000 } },
    after: { loop: { intervalMs: 500 } },
    lines: ['loop.intervalMs: 1000 -> 500'],
  },
  {
    name: 'shows a setting that came',
    before: {},
    after: { headroom: 0.1 },
    lines: ['headroom: none -> 0.1'],
  },
  {
    name: 'shows a setting that went',
    before: { headroom: 0.1 },
    after: {},
    lines: ['headroom: 0.1 -> none'],
  },
  {
    name: 'tells null from a setting that is not there',
    before: { factor: null },
    after: {},
    lines: ['factor: null -> none'],
  },
  {
    name: 'shows lists whole',
    before: { list: ['a'] },
    after: { list: ['a', 'b'] },
    lines: ['list: ["a"] -> ["a","b"]'],
  },
  {
    name: 'prints bigint as a number',
    before: { bytes: 1n },
    after: { bytes: 2n },
    lines: ['bytes: 1 -> 2'],
  },
  {
    name: 'looks into maps, and into those in lists',
    before: { m: new Map([['x', 1]]), l: [new Map([['y', 1n]])] },
    after: { m: new Map([['x', 2]]), l: [new Map([['y', 2n]])] },
    lines: ['l: [{"y":1}] -> [{"y":2}]', 'm.x: 1 -> 2'],
  },
  { name: 'sorts by key', before: {}, after: { b: 1, a: 1 }, lines: ['a: none -> 1', 'b: none -> 1'] },
])('$name', ({ before, after, lines }) => {
  expect(settingsDiff(before, after)).toEqual(lines);
});
