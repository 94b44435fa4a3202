import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtPackage, VERSION } from './built.ts';
import { lacking, lackingPackage } from './tools.ts';

const OLDER = '0.0.9';
const ENABLED = 'etc/systemd/system/multi-user.target.wants/nodeqos.service';
const CONFIGURATION = 'etc/nodeqos/nodeqos.yaml';
const CHANGED = '# changed here\n';
/** What the scripts call on a system without systemd. */
const PLAIN_COMMANDS = ['sh', 'grep', 'rm', 'useradd', 'dpkg-deb', 'tar', 'dpkg-split', 'diff', 'ldconfig'];

/** A machine's tree with nothing in it but the records of dpkg. */
function emptyTree(): string {
  const root = mkdtempSync(join(tmpdir(), 'nodeqos-tree-'));
  for (const folder of ['etc', 'var/lib/dpkg/info', 'var/lib/dpkg/updates'])
    mkdirSync(join(root, folder), { recursive: true });
  for (const file of ['var/lib/dpkg/status', 'var/lib/dpkg/available', 'etc/passwd', 'etc/group'])
    writeFileSync(join(root, file), '');
  return root;
}

/** Everything in a tree but the records of dpkg. */
function namesIn(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('var/lib/dpkg/'))
    .sort();
}

function dpkg(root: string, args: readonly string[], path = process.env['PATH']): string {
  const options = [`--root=${root}`, '--force-script-chrootless', '--force-depends', '--log=/dev/null'];
  const said = spawnSync('/usr/bin/dpkg', [...options, ...args], {
    encoding: 'utf8',
    env: { ...process.env, PATH: path, LC_ALL: 'C' },
  });
  if (said.status !== 0) throw new Error(`dpkg ${args.join(' ')}: ${said.stdout}${said.stderr}`);
  return said.stdout + said.stderr;
}

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.log('skipped: installing into an empty tree; dpkg does it for root only');

describe.skipIf(
  !isRoot ||
    lackingPackage('installing into an empty tree', {
      'systemd-sysusers': 'systemd',
      'deb-systemd-helper': 'init-system-helpers',
    }),
)('dpkg', () => {
  let root = '';
  let bare: readonly string[] = [];
  beforeAll(() => {
    root = emptyTree();
    bare = namesIn(root);
  });
  afterAll(() => {
    rmSync(root, { recursive: true, force: true });
  });

  it('installs into an empty tree: there is the user, and the service is turned on but not the other one', () => {
    dpkg(root, ['-i', builtPackage({ version: OLDER })]);
    expect(readFileSync(`${root}/etc/passwd`, 'utf8')).toMatch(
      /^nodeqos:x:\d+:\d+:nodeqos agent:\/var\/lib\/nodeqos:\/usr\/sbin\/nologin$/m,
    );
    expect(readlinkSync(`${root}/${ENABLED}`)).toBe('/usr/lib/systemd/system/nodeqos.service');
    expect(readdirSync(`${root}/etc/systemd/system/multi-user.target.wants`)).toEqual(['nodeqos.service']);
    expect(existsSync(`${root}/var/lib/nodeqos`)).toBe(false);
  });

  it('upgrades, and leaves a changed configuration and a service that was turned off as they are', () => {
    appendFileSync(`${root}/${CONFIGURATION}`, CHANGED);
    rmSync(`${root}/${ENABLED}`);
    expect(dpkg(root, ['-i', builtPackage()])).toContain(`(${VERSION}) over (${OLDER})`);
    expect(readFileSync(`${root}/${CONFIGURATION}`, 'utf8')).toMatch(new RegExp(`${CHANGED}$`));
    expect(existsSync(`${root}/${ENABLED}`)).toBe(false);
  });

  it('removes the program, and keeps the configuration and what the agent knew', () => {
    mkdirSync(`${root}/var/lib/nodeqos`);
    writeFileSync(`${root}/var/lib/nodeqos/journal.jsonl`, '');
    dpkg(root, ['-r', 'nodeqos']);
    expect(existsSync(`${root}/usr`)).toBe(false);
    expect(readFileSync(`${root}/${CONFIGURATION}`, 'utf8')).toContain(CHANGED);
    expect(existsSync(`${root}/var/lib/nodeqos/journal.jsonl`)).toBe(true);
  });

  it('purges all but the user', () => {
    dpkg(root, ['-P', 'nodeqos']);
    const left = namesIn(root).filter((name) => !bare.includes(name));
    // Beside the files of users there are folders that others put things into too.
    const ofUsers = ['etc/.pwd.lock', 'etc/group-', 'etc/gshadow', 'etc/passwd-', 'etc/shadow'];
    const ofSystemd = ['etc/systemd', 'etc/systemd/system', 'var/lib/systemd'];
    expect(left.filter((name) => !ofUsers.includes(name) && !ofSystemd.includes(name))).toEqual([]);
    expect(readFileSync(`${root}/etc/passwd`, 'utf8')).toContain('nodeqos:');
  });
});

describe.skipIf(!isRoot || lackingPackage('installing without systemd', { useradd: 'passwd' }))(
  'a system without systemd',
  () => {
    let root = '';
    let commands = '';
    beforeAll(() => {
      root = emptyTree();
      commands = mkdtempSync(join(tmpdir(), 'nodeqos-commands-'));
      for (const command of PLAIN_COMMANDS) {
        const found = spawnSync('sh', ['-c', 'command -v "$0"', command], { encoding: 'utf8' }).stdout.trim();
        symlinkSync(found === '' ? '/bin/true' : found, join(commands, command));
      }
      // dpkg wants to see it, and nothing of ours calls it.
      symlinkSync('/bin/true', join(commands, 'start-stop-daemon'));
    });
    afterAll(() => {
      for (const path of [root, commands]) rmSync(path, { recursive: true, force: true });
    });

    it('takes the package too, makes the user by useradd, and lets go of it without a trace', () => {
      dpkg(root, ['-i', builtPackage()], commands);
      expect(readFileSync(`${root}/etc/passwd`, 'utf8')).toMatch(
        /^nodeqos:[x!]:\d+:\d+:nodeqos agent:\/var\/lib\/nodeqos:\/usr\/sbin\/nologin$/m,
      );
      expect(existsSync(`${root}/${ENABLED}`)).toBe(false);
      dpkg(root, ['-i', builtPackage()], commands);
      dpkg(root, ['-P', 'nodeqos'], commands);
      expect(existsSync(`${root}/usr`)).toBe(false);
      expect(existsSync(`${root}/etc/nodeqos`)).toBe(false);
    });
  },
);

describe('the scripts of the package', () => {
  const scripts = ['postinst', 'prerm', 'postrm'];

  it.skipIf(lacking('looking through the scripts', { shellcheck: 'shellcheck' }))(
    'are scripts that shellcheck has nothing to say about, as is the launcher',
    () => {
      const files = [...scripts, 'launcher.sh'].map((name) => `systemd/deb/${name}`);
      const said = spawnSync('shellcheck', files, { encoding: 'utf8' });
      expect(said.stdout + said.stderr).toBe('');
      expect(said.status).toBe(0);
    },
  );

  it.each(scripts)('%s refuses what dpkg never asks for', (name) => {
    const said = spawnSync('sh', [`systemd/deb/${name}`, 'dance'], { encoding: 'utf8' });
    expect(said).toMatchObject({ status: 1, stderr: `nodeqos: ${name} does not know 'dance'\n` });
  });
});
