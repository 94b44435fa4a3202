import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { builtPackage } from './built.ts';
import { lackingPackage } from './tools.ts';

const LONGEST_MS = 10 * 60_000;

describe.skipIf(lackingPackage('lintian on the package', { lintian: 'lintian' }))('lintian', () => {
  it(
    'finds no error and nothing to warn of in the package, and no override that is of no use',
    () => {
      const options = ['--allow-root', '--tag-display-limit', '0', '--fail-on', 'error,warning'];
      const said = spawnSync('lintian', [...options, builtPackage()], {
        encoding: 'utf8',
        env: { ...process.env, LC_ALL: 'C.UTF-8' },
      });
      expect(said.stdout + said.stderr).toBe('');
      expect(said.status).toBe(0);
    },
    LONGEST_MS,
  );
});

describe('the overrides of lintian', () => {
  it('are for the Node.js in the package alone, and come after a reason', () => {
    const paragraphs = readFileSync('systemd/deb/lintian-overrides', 'utf8').trim().split('\n\n');
    for (const paragraph of paragraphs) {
      expect(paragraph).toMatch(/^# /);
      for (const line of paragraph.split('\n').filter((text) => !text.startsWith('#')))
        expect(line).toMatch(/^nodeqos: [a-z-]+ .*\[usr\/lib\/nodeqos\/node\]$/);
    }
  });
});
