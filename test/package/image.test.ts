import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pinned from '../../systemd/deb/runtime.json' with { type: 'json' };
import { builtImage, VERSION } from './built.ts';
import { lackingPackage } from './tools.ts';
import { type UnpackedImage, unpackedImage } from './unpacked-image.ts';

const LONGEST_MS = 10 * 60_000;
const TOOLS = { 'apt-get': 'apt', 'dpkg-deb': 'dpkg' };
const isRoot = process.getuid?.() === 0;
if (!isRoot) console.log('skipped: what takes chroot, since this is not root');

const sumOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

describe.skipIf(lackingPackage('what is in the image', TOOLS))('the image for amd64', () => {
  let path = '';
  let image: UnpackedImage;
  const inside = (...command: readonly string[]) =>
    spawnSync('chroot', [image.root, ...command], { encoding: 'utf8', env: { PATH: '/usr/sbin:/usr/bin' } });

  const found = (...wanted: readonly string[]): readonly string[] => {
    const names = execFileSync('find', [image.root, ...wanted, '-printf', '%P\n'], { encoding: 'utf8' });
    return names.trim().split('\n').filter(Boolean).sort();
  };

  beforeAll(() => {
    path = builtImage();
    image = unpackedImage(path);
  }, LONGEST_MS);
  afterAll(() => {
    image.remove();
  });

  it('says what runs, and what it is made of', () => {
    const { architecture, config } = image.config;
    expect(architecture).toBe('amd64');
    expect([config.Entrypoint, config.Cmd, config.Env]).toEqual([
      ['/usr/bin/nodeqos'],
      ['run'],
      ['PATH=/usr/bin'],
    ]);
    expect(config.Labels).toMatchObject({
      'org.opencontainers.image.title': 'nodeqos',
      'org.opencontainers.image.version': VERSION,
      'org.opencontainers.image.licenses': 'Apache-2.0',
      'dev.nodeqos.image.node': pinned.version,
    });
    expect(config.Labels['dev.nodeqos.image.debian']).toMatch(
      /^base-files \S+, ca-certificates \S+, libc6 2\.\S+, libgcc-s1 \S+, libstdc\+\+6 \S+$/,
    );
  });

  it('has no program but Node.js, nodeqos and the loader of libraries', () => {
    const executable = found('-type', 'f', '-perm', '/111');
    const programs = executable.filter((name) => !/\.so(\.[0-9.]+)?$/.test(name));
    expect(programs).toEqual(['usr/lib/nodeqos/node', 'usr/lib/nodeqos/nodeqos.mjs']);
    expect(readdirSync(join(image.root, 'usr/bin'))).toEqual(['nodeqos']);
  });

  it('lets nobody but root write, but in /tmp, and gives nobody the rights of another', () => {
    expect(found('-not', '-type', 'l', '-perm', '/022')).toEqual(['tmp']);
    expect(found('-perm', '/6000')).toEqual([]);
  });

  it('says under what terms its parts are', () => {
    const documents = join(image.root, 'usr/share/doc');
    expect(readdirSync(documents)).toEqual(
      expect.arrayContaining(['base-files', 'ca-certificates', 'libc6']),
    );
    expect(readdirSync(join(documents, 'nodeqos'))).toEqual(['copyright', 'nodejs-notices.gz']);
    const authorities = readFileSync(join(image.root, 'etc/ssl/certs/ca-certificates.crt'), 'utf8');
    expect(authorities.match(/^-----BEGIN CERTIFICATE-----$/gm)?.length).toBeGreaterThan(100);
  });

  it.skipIf(!isRoot)('runs with what is in it alone, without a shell', () => {
    expect(inside('/usr/bin/nodeqos', '--version')).toMatchObject({ status: 0, stdout: `${VERSION}\n` });
    expect(inside('/usr/bin/nodeqos', 'check', '-o', 'json')).toMatchObject({ status: 0 });
    const load = 'console.log(koffi.load(null).func("int getppid()")() > 0)';
    const script = `import("/usr/lib/nodeqos/node_modules/koffi/index.js").then(({ default: koffi }) => ${load})`;
    expect(inside('/usr/lib/nodeqos/node', '-e', script)).toMatchObject({ status: 0, stdout: 'true\n' });
  });

  it(
    'is the same, byte for byte, built with another umask, time zone and language',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'nodeqos-image-'));
      try {
        const command =
          'umask 077; exec "$0" build-tool.js systemd/image/main.ts --compression none --out "$1"';
        const env = { ...process.env, TZ: 'Asia/Kathmandu', LANG: 'tr_TR.UTF-8', SOURCE_DATE_EPOCH: '1' };
        execFileSync('sh', ['-c', command, process.execPath, folder], { env, stdio: 'ignore' });
        expect(sumOf(join(folder, `nodeqos-${VERSION}-amd64.oci.tar`))).toBe(sumOf(path));
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    LONGEST_MS,
  );

  it('prints how large it is', () => {
    const used = execFileSync('du', ['-sm', image.root], { encoding: 'utf8' }).split('\t')[0];
    console.log(
      `  image for amd64: ${(statSync(path).size / 1e6).toFixed(1)} MB without compression, ${used} MiB on disk`,
    );
    expect(Number(used)).toBeGreaterThan(0);
  });
});

describe.skipIf(
  lackingPackage(
    'the image for arm64',
    { ...TOOLS, 'aarch64-linux-gnu-strip': 'binutils-aarch64-linux-gnu', 'qemu-aarch64': 'qemu-user' },
    'arm64',
  ),
)('the image for arm64', () => {
  it(
    'runs in the emulator with its own libraries',
    () => {
      const image = unpackedImage(builtImage('arm64'));
      try {
        expect(image.config.architecture).toBe('arm64');
        const program = ['node', 'nodeqos.mjs'].map((name) => join(image.root, 'usr/lib/nodeqos', name));
        const run = spawnSync('qemu-aarch64', ['-L', image.root, ...program, '--version'], {
          encoding: 'utf8',
        });
        expect(run).toMatchObject({ status: 0, stdout: `${VERSION}\n` });
      } finally {
        image.remove();
      }
    },
    LONGEST_MS,
  );
});
