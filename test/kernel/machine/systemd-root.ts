import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianSource } from '../../../systemd/image/mirror.ts';
import { makeRootDisk } from './disk-image.ts';
import { copyLibraries } from './root-image.ts';
import { runTool } from './run-tool.ts';

/** What is put over the installed system, as it is to lie there. */
const OVERLAY = 'test/kernel/systemd/root';

const SUITE = 'bookworm';

/** Debian's packages of the machine, besides those that every Debian has. */
const PACKAGES = ['systemd', 'systemd-sysv', 'dbus', 'polkitd', 'containerd', 'runc', 'busybox-static'];

/** What no machine of tests needs, and an emulated processor needs long for. */
const MASKED_UNITS = [
  ...[
    'apt-daily-upgrade.timer',
    'apt-daily.timer',
    'dpkg-db-backup.timer',
    'e2scrub_all.timer',
    'fstrim.timer',
  ],
  ...[
    'e2scrub_reap.service',
    'systemd-tmpfiles-clean.timer',
    'ldconfig.service',
    'kmod-static-nodes.service',
  ],
  ...['getty.target', 'getty@tty1.service', 'serial-getty@ttyS0.service', 'getty-static.service'],
  ...['modprobe@.service', 'proc-sys-fs-binfmt_misc.automount', 'sys-fs-fuse-connections.mount'],
  ...['dev-hugepages.mount', 'dev-mqueue.mount', 'sys-kernel-debug.mount', 'sys-kernel-tracing.mount'],
  ...['sys-kernel-config.mount', 'systemd-binfmt.service', 'systemd-boot-system-token.service'],
  ...['systemd-firstboot.service', 'systemd-hwdb-update.service', 'systemd-journal-catalog-update.service'],
  ...['systemd-logind.service', 'systemd-modules-load.service', 'systemd-networkd.service'],
  ...['systemd-pcrphase-sysinit.service', 'systemd-pcrphase.service', 'systemd-pstore.service'],
  ...['systemd-random-seed.service', 'systemd-remount-fs.service', 'systemd-repart.service'],
  ...['systemd-resolved.service', 'systemd-sysusers.service', 'systemd-timesyncd.service'],
  ...['systemd-udev-trigger.service', 'systemd-udevd.service', 'systemd-update-done.service'],
  ...['systemd-update-utmp-runlevel.service', 'systemd-update-utmp.service', 'systemd-user-sessions.service'],
];

/** Those that a case starts itself. */
const LATER_UNITS = ['containerd.service'];

/** Room for what the cases install and make; the file is a sparse one. */
const SPARE_MIB = 768;

/** What is of no use in the machine. */
const LEFT_OUT = [
  ...['var/cache/apt', 'var/lib/apt/lists', 'usr/share/zoneinfo', 'usr/lib/x86_64-linux-gnu/gconv'],
  ...['usr/bin/containerd-shim', 'usr/bin/containerd-shim-runc-v1', 'usr/bin/containerd-stress'],
];

/**
 * The disk of a machine that runs Debian with systemd, a message bus, polkit and containerd, and this Node beside them. It is
 * built once for the inputs that it has, which takes a mirror of Debian and root. Rejects where one of them is lacking.
 */
export async function systemdRootImage(cache: string): Promise<string> {
  const image = join(cache, `systemd-${keyOf()}.img`);
  if (existsSync(image)) return image;
  if (process.getuid?.() !== 0) throw new Error('the disk with systemd can only be built by root');
  const folder = mkdtempSync(join(tmpdir(), 'nodeqos-systemd-'));
  const half = `${image}.half-${process.pid}`;
  try {
    const root = join(folder, 'root');
    await installDebian(root);
    for (const name of LEFT_OUT) rmSync(join(root, name), { recursive: true, force: true });
    configure(root);
    mkdirSync(join(root, 'opt/guest'), { recursive: true });
    copyFileSync(process.execPath, join(root, 'opt/guest/node'));
    await copyLibraries(process.execPath, root);
    await makeRootDisk(root, half, SPARE_MIB);
    removeOlder(cache);
    renameSync(half, image);
  } finally {
    rmSync(half, { force: true });
    rmSync(folder, { recursive: true, force: true });
  }
  return image;
}

function keyOf(): string {
  const { size, mtimeMs } = statSync(process.execPath);
  const settings = [SUITE, PACKAGES, MASKED_UNITS, LATER_UNITS, LEFT_OUT, SPARE_MIB, size, mtimeMs];
  const hash = createHash('sha256').update(JSON.stringify(settings));
  for (const name of readdirSync(OVERLAY, { recursive: true, encoding: 'utf8' }).sort()) {
    const file = join(OVERLAY, name);
    hash.update(`${name}\n`);
    if (statSync(file).isFile()) hash.update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 16);
}

/** A disk of this kind is large, and serves nobody once its inputs have changed. */
function removeOlder(cache: string): void {
  for (const name of readdirSync(cache))
    if (/^systemd-[0-9a-f]+\.img$/.test(name)) rmSync(join(cache, name), { force: true });
}

async function installDebian(root: string): Promise<void> {
  const leftOut = ['doc', 'man', 'locale'].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`);
  const settings = ['--quiet', '--variant=minbase', '--aptopt=Acquire::Languages "none"', ...leftOut];
  const wanted = [`--include=${PACKAGES.join(',')}`, SUITE, root, debianSource(SUITE)];
  await runTool('mmdebstrap', [...settings, ...wanted]);
}

function configure(root: string): void {
  const units = join(root, 'etc/systemd/system');
  for (const unit of MASKED_UNITS) {
    rmSync(join(units, unit), { force: true });
    symlinkSync('/dev/null', join(units, unit));
  }
  for (const unit of LATER_UNITS) rmSync(join(units, 'multi-user.target.wants', unit), { force: true });
  for (const name of ['app', 'data']) mkdirSync(join(root, name), { recursive: true });
  // With a number of its own the machine is not one that is started for the first time.
  writeFileSync(join(root, 'etc/machine-id'), `${'6e6f6465716f73'.padEnd(32, '0')}\n`);
  writeFileSync(join(root, 'etc/hostname'), 'node\n');
  writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 localhost node\n');
  writeFileSync(join(root, 'etc/fstab'), '');
  cpSync(OVERLAY, root, { recursive: true });
  symlinkSync('/etc/systemd/system/cases.service', join(units, 'multi-user.target.wants/cases.service'));
  rmSync(join(units, 'default.target'), { force: true });
  symlinkSync('/lib/systemd/system/multi-user.target', join(units, 'default.target'));
}
