import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEPENDS } from '../../systemd/deb/control.ts';
import { builtPackage, unpackedPackage } from './built.ts';
import { lackingPackage } from './tools.ts';

const OBJECTS = ['node', 'node_modules/@koromix/koffi-linux-x64/linux_x64/koffi.node'];

describe.skipIf(lackingPackage('what the package depends on', { 'dpkg-shlibdeps': 'dpkg-dev' }))(
  'the libraries that the package depends on',
  () => {
    let root = '';
    let folder = '';
    beforeAll(() => {
      root = unpackedPackage(builtPackage());
      folder = mkdtempSync(join(tmpdir(), 'nodeqos-shlibdeps-'));
    });
    afterAll(() => {
      for (const path of [root, folder]) rmSync(path, { recursive: true, force: true });
    });

    it('are those that its binaries are linked with, as dpkg-shlibdeps finds them', () => {
      mkdirSync(join(folder, 'debian'));
      writeFileSync(
        join(folder, 'debian/control'),
        'Source: nodeqos\n\nPackage: nodeqos\nArchitecture: any\n',
      );
      const found = execFileSync(
        'dpkg-shlibdeps',
        ['-O', ...OBJECTS.map((path) => `-e${root}/usr/lib/nodeqos/${path}`)],
        { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
      );
      const [, libraries = ''] = /^shlibs:Depends=(.*)$/m.exec(found) ?? [];
      expect(libraries.split(', ')).toEqual(DEPENDS.filter((name) => name.includes('>=')));
    });
  },
);
