import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import faults from './planted-faults.json' with { type: 'json' };

it('there are faults enough to plant', () => {
  expect(faults.length).toBeGreaterThanOrEqual(20);
});

it.each(faults)('can still be planted: $breaks', ({ file, find, replace }) => {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  expect(text.split(find)).toHaveLength(2);
  expect(text.replace(find, replace)).not.toBe(text);
});
