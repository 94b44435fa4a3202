import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import faults from '../kernel/planted-faults.json' with { type: 'json' };

it.each(faults)('can still be planted: $breaks', ({ file, find, replace }) => {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  expect(text.split(find)).toHaveLength(2);
  expect(text.replace(find, replace)).not.toBe(text);
});
