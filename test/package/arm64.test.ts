import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEPENDS } from '../../systemd/deb/control.ts';
import { builtPackage, unpackedPackage, VERSION } from './built.ts';
import { lackingPackage } from './tools.ts';

/** Where Debian's packages of cross libraries put those of arm64. */
const LIBRARIES = '/usr/aarch64-linux-gnu';
const NATIVE = 'node_modules/@koromix/koffi-linux-arm64/linux_arm64/koffi.node';
const LONGEST_MS = 10 * 60_000;

const TOOLS = {
  'aarch64-linux-gnu-strip': 'binutils-aarch64-linux-gnu',
  'qemu-aarch64': 'qemu-user',
};

/** A pod, and what the node is, so that a plan can be made of inputs alone. */
const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'till', namespace: 'shop', uid: '5e0f7d5a-0000-4000-8000-000000000001' },
  spec: {
    containers: [
      { name: 'till', resources: { requests: { memory: '64Mi' }, limits: { memory: '128Mi' } } },
      { name: 'side', resources: { requests: { memory: '16Mi' } } },
    ],
  },
};

/** The highest version of a library's symbols that an object wants, such as 2.28 of GLIBC. */
function wantedVersion(object: string, library: string): readonly number[] {
  const symbols = execFileSync('aarch64-linux-gnu-objdump', ['-T', object], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const found = [...symbols.matchAll(new RegExp(`\\b${library}_([0-9.]+)`, 'g'))];
  const versions = found.map(([, version = '']) => version.split('.').map(Number));
  return versions.sort(compareVersions).at(-1) ?? [];
}

function compareVersions(a: readonly number[], b: readonly number[]): number {
  const [major = 0, minor = 0] = a;
  const [otherMajor = 0, otherMinor = 0] = b;
  return major - otherMajor || minor - otherMinor;
}

describe.skipIf(lackingPackage('the package for arm64', TOOLS, 'arm64'))('the package for arm64', () => {
  let path = '';
  let root = '';
  const library = (name: string): string => `${root}/usr/lib/nodeqos/${name}`;
  const emulated = (...args: readonly string[]) =>
    spawnSync('qemu-aarch64', ['-L', LIBRARIES, library('node'), ...args], {
      encoding: 'utf8',
      cwd: library(''),
      timeout: LONGEST_MS,
    });

  beforeAll(() => {
    path = builtPackage({ architecture: 'arm64' });
    root = unpackedPackage(path);
  }, LONGEST_MS);
  afterAll(() => {
    rmSync(root, { recursive: true, force: true });
  });

  it('holds binaries for arm64 and no others', () => {
    expect(execFileSync('dpkg-deb', ['-f', path, 'Architecture'], { encoding: 'utf8' })).toBe('arm64\n');
    expect(readdirSync(library('node_modules/@koromix'))).toEqual(['koffi-linux-arm64']);
    for (const name of ['node', NATIVE]) {
      const head = execFileSync('aarch64-linux-gnu-objdump', ['-f', library(name)], { encoding: 'utf8' });
      expect(head).toContain('file format elf64-littleaarch64');
    }
  });

  it('wants no newer library than it depends on', () => {
    const [, libc = ''] = /libc6 \(>= ([0-9.]+)\)/.exec(DEPENDS.join(', ')) ?? [];
    for (const name of ['node', NATIVE]) {
      const wanted = wantedVersion(library(name), 'GLIBC');
      expect(wanted.length).toBe(2);
      expect(compareVersions(wanted, libc.split('.').map(Number))).toBeLessThanOrEqual(0);
      // libstdc++6 10.2 is the one that has GLIBCXX_3.4.28.
      const [, , release = 0] = wantedVersion(library(name), 'GLIBCXX');
      expect(release).toBeLessThanOrEqual(28);
    }
  });

  it(
    'says its version, emulated',
    () => {
      const startMs = performance.now();
      expect(emulated(library('nodeqos.mjs'), '--version')).toMatchObject({
        status: 0,
        stdout: `${VERSION}\n`,
      });
      const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
      const megabytes = (statSync(path).size / 1e6).toFixed(1);
      console.log(
        `  arm64: ${megabytes} MB with quick compression; --version takes ${seconds} s in the emulator`,
      );
    },
    LONGEST_MS,
  );

  it(
    'loads its native part, emulated',
    () => {
      const script =
        "import('koffi').then((koffi) => console.log(koffi.load(null).func('int getpid()')() > 0))";
      expect(emulated('-e', script)).toMatchObject({ status: 0, stdout: 'true\n' });
    },
    LONGEST_MS,
  );

  it(
    'plans as the program does here, byte for byte, and checks the configuration that it installs',
    () => {
      const pods = join(root, 'pods.json');
      writeFileSync(pods, JSON.stringify(POD));
      const plan = ['plan', '--offline', '--memory-capacity', '4Gi', '--pods', pods, '-o', 'json'];
      const what = [...plan, '--throttling-factor', '0.9', '--reservation-policy', 'TieredReservation'];
      const here = spawnSync(process.execPath, ['dist/nodeqos.mjs', ...what], { encoding: 'utf8' });
      expect(here.status).toBe(0);
      expect(emulated(library('nodeqos.mjs'), ...what)).toMatchObject({ status: 0, stdout: here.stdout });
      expect(emulated(library('nodeqos.mjs'), 'check', '--root', root)).toMatchObject({ status: 0 });
    },
    LONGEST_MS,
  );
});
