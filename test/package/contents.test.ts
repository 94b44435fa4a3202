import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEPENDS } from '../../systemd/deb/control.ts';
import pinned from '../../systemd/deb/runtime.json' with { type: 'json' };
import { builtPackage, unpackedPackage, VERSION } from './built.ts';
import { lackingPackage } from './tools.ts';

const STARTS = 5;
/** Terms that let a work be handed out with them in it, whatever its own are. */
const TERMS = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD', 'Python-2.0', 'Unlicense'];
const field = (path: string, name: string): string =>
  execFileSync('dpkg-deb', ['-f', path, name], { encoding: 'utf8' }).trim();

describe.skipIf(lackingPackage('what is in the package'))('the package for amd64', () => {
  let path = '';
  let root = '';
  const nodeqos = (...args: readonly string[]) =>
    spawnSync(`${root}/usr/lib/nodeqos/node`, [`${root}/usr/lib/nodeqos/nodeqos.mjs`, ...args], {
      encoding: 'utf8',
    });

  beforeAll(() => {
    path = builtPackage();
    root = unpackedPackage(path);
  });
  afterAll(() => {
    rmSync(root, { recursive: true, force: true });
  });

  it('belongs to root, and everybody may read all of it', () => {
    const listing = execFileSync('dpkg-deb', ['-c', path], { encoding: 'utf8' }).trim().split('\n');
    for (const line of listing) {
      const [mode = '', owner, , , , name = ''] = line.split(/\s+/);
      const isProgram = ['./usr/bin/nodeqos', './usr/lib/nodeqos/node'].includes(name);
      expect([name, owner]).toEqual([name, 'root/root']);
      const usual = isProgram ? '-rwxr-xr-x' : '-rw-r--r--';
      expect([name, mode]).toEqual([name, name.endsWith('/') ? 'drwxr-xr-x' : usual]);
    }
  });

  it('installs these folders and no others', () => {
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
    const folders = new Set(
      files
        .filter((name) => statSync(`${root}/${name}`).isFile())
        .map((name) => name.split('/').slice(0, -1).join('/')),
    );
    expect([...folders].filter((name) => !name.includes('node_modules')).sort()).toEqual([
      'etc/nodeqos',
      'usr/bin',
      'usr/lib/nodeqos',
      'usr/lib/nodeqos/nodeqos-chunks',
      'usr/lib/systemd/system',
      'usr/lib/sysusers.d',
      'usr/share/bash-completion/completions',
      'usr/share/doc/nodeqos',
      'usr/share/doc/nodeqos/examples',
      'usr/share/fish/vendor_completions.d',
      'usr/share/lintian/overrides',
      'usr/share/man/man5',
      'usr/share/man/man8',
      'usr/share/nodeqos',
      ...(existsSync('systemd/polkit') ? ['usr/share/polkit-1/rules.d'] : []),
      'usr/share/zsh/vendor-completions',
    ]);
  });

  it('has every unit of the sources', () => {
    const units = readdirSync('systemd').filter((name) => /\.(service|slice)$/.test(name));
    expect(readdirSync(`${root}/usr/lib/systemd/system`).sort()).toEqual(units.sort());
  });

  it('has sums that dpkg --verify finds right', () => {
    const sums = execFileSync('dpkg-deb', ['--ctrl-tarfile', path]);
    const list = execFileSync('tar', ['-xO', './md5sums'], { input: sums });
    const said = spawnSync('md5sum', ['--quiet', '-c', '-'], { input: list, cwd: root, encoding: 'utf8' });
    expect(said.stdout + said.stderr).toBe('');
    expect(list.toString().trim().split('\n').length).toBeGreaterThan(20);
  });

  it('takes the configuration for a file that the administrator may change', () => {
    const control = execFileSync('dpkg-deb', ['--ctrl-tarfile', path]);
    expect(execFileSync('tar', ['-xO', './conffiles'], { input: control }).toString()).toBe(
      '/etc/nodeqos/nodeqos.yaml\n',
    );
    expect(readFileSync(`${root}/etc/nodeqos/nodeqos.yaml`, 'utf8')).toContain('\nmode: dry-run\n');
  });

  it('names version, architecture and libraries', () => {
    expect(field(path, 'Version')).toBe(VERSION);
    expect(field(path, 'Architecture')).toBe('amd64');
    expect(field(path, 'Depends')).toBe(DEPENDS.join(', '));
  });

  it('runs by itself, with the Node.js that was pinned', () => {
    expect(nodeqos('--version')).toMatchObject({ status: 0, stdout: `${VERSION}\n` });
    const node = spawnSync(`${root}/usr/lib/nodeqos/node`, ['--version'], { encoding: 'utf8' });
    expect(node.stdout).toBe(`v${pinned.version}\n`);
  });

  it('has the native part of this architecture and no other, and it loads', () => {
    const modules = `${root}/usr/lib/nodeqos/node_modules`;
    expect(readdirSync(`${modules}/@koromix`)).toEqual(['koffi-linux-x64']);
    const script = "import('koffi').then((koffi) => console.log(koffi.load(null).func('int getppid()')()))";
    const said = spawnSync(`${root}/usr/lib/nodeqos/node`, ['-e', script], {
      encoding: 'utf8',
      cwd: `${root}/usr/lib/nodeqos`,
    });
    expect(said.stdout).toBe(`${process.pid}\n`);
  });

  it('checks the configuration that it installs, and finds it good', () => {
    expect(nodeqos('check', '--root', root, '-o', 'json')).toMatchObject({ status: 0 });
  });

  it('has every file below /etc and /usr that its man pages name', () => {
    const pages = ['man8/nodeqos.8.gz', 'man5/nodeqos.yaml.5.gz'].map((name) =>
      gunzipSync(readFileSync(`${root}/usr/share/man/${name}`)).toString('utf8'),
    );
    const named = pages.flatMap((text) => text.match(/\/(?:etc|usr)\/[\w./-]*\w/g) ?? []);
    // Made by whoever wants drop-ins.
    const paths = [...new Set(named)].filter((path) => !path.startsWith('/etc/nodeqos/nodeqos.yaml.d'));
    expect(paths.length).toBeGreaterThan(3);
    expect(paths.filter((name) => !existsSync(`${root}${name}`))).toEqual([]);
  });

  it('says under what terms its libraries are', () => {
    const text = readFileSync(`${root}/usr/share/doc/nodeqos/copyright`, 'utf8');
    for (const name of ['koffi', 'winston', 'yaml', 'yargs', 'zod'])
      expect(text).toMatch(new RegExp(`^${name} [0-9.]+ \\(`, 'm'));
    const licenses = [...text.matchAll(/^\S+ [0-9][\w.-]* \((.+)\)$/gm)].map(([, license]) => license);
    expect(licenses.length).toBeGreaterThan(30);
    for (const license of licenses) expect(TERMS).toContain(license);
  });

  it('prints how large it is and how long it takes to start', () => {
    const startsMs = Array.from({ length: STARTS }, () => {
      const before = performance.now();
      nodeqos('--version');
      return performance.now() - before;
    });
    const megabytes = (statSync(path).size / 1e6).toFixed(1);
    console.log(
      `  amd64: ${megabytes} MB with quick compression, ${field(path, 'Installed-Size')} KiB installed; ` +
        `--version takes ${Math.min(...startsMs).toFixed(0)} to ${Math.max(...startsMs).toFixed(0)} ms`,
    );
    expect(startsMs).toHaveLength(STARTS);
  });
});
