import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { expect } from 'vitest';

/**
 * Compares a text with test/golden/NAME, to the byte. `UPDATE=1 npx vitest run test/e2e/golden.test.ts` writes the files
 * anew; the diff is then to be read like any other change.
 */
export function expectGolden(name: string, text: string): void {
  const path = resolve('test/golden', name);
  if (process.env['UPDATE'] === '1') {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  expect(text, name).toBe(
    existsSync(path) ? readFileSync(path, 'utf8') : `no ${name}; make it with UPDATE=1`,
  );
}
