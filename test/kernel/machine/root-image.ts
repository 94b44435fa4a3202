import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { makeDisk, makeRootDisk } from './disk-image.ts';
import { findTool, runTool } from './run-tool.ts';

const INIT = new URL('../guest/init', import.meta.url);

/** Room for the files that the cases make. */
const SPARE_MIB = 64;

/**
 * The disk that the machine starts from: busybox, this Node with its libraries, and the first process. It is built once for
 * the inputs that it has.
 */
export async function rootImage(cache: string): Promise<string> {
  const busybox = findTool('busybox') ?? 'busybox';
  const image = join(cache, `root-${keyOf([busybox, process.execPath])}.img`);
  if (existsSync(image)) return image;
  const folder = mkdtempSync(join(tmpdir(), 'nodeqos-root-'));
  try {
    for (const name of ['bin', 'dev', 'proc', 'sys', 'tmp', 'run', 'app', 'root', 'etc', 'data', 'var/lib'])
      mkdirSync(join(folder, name), { recursive: true });
    await installBusybox(busybox, folder);
    copyFileSync(process.execPath, join(folder, 'bin/node'));
    for (const tool of [busybox, process.execPath]) await copyLibraries(tool, folder);
    copyFileSync(INIT, join(folder, 'init'));
    chmodSync(join(folder, 'init'), 0o755);
    writeFileSync(join(folder, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n');
    await makeRootDisk(folder, `${image}.half`, SPARE_MIB);
    renameSync(`${image}.half`, image);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return image;
}

function keyOf(files: readonly string[]): string {
  const hash = createHash('sha256').update(readFileSync(INIT)).update(String(SPARE_MIB));
  for (const file of files) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${file} ${size} ${mtimeMs} ${process.version}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

async function installBusybox(busybox: string, folder: string): Promise<void> {
  copyFileSync(busybox, join(folder, 'bin/busybox'));
  const applets = (await runTool(busybox, ['--list'])).split('\n');
  for (const name of applets)
    if (name !== '' && name !== 'busybox') symlinkSync('busybox', join(folder, 'bin', name));
}

/** The shared libraries of a program and its loader, at the places where it looks for them; none for a static one. */
export async function copyLibraries(program: string, folder: string): Promise<void> {
  const listed = await runTool('ldd', [program]).catch(() => '');
  for (const [library] of listed.matchAll(/\/[^ \n]+/g)) {
    const to = join(folder, library);
    if (existsSync(to)) continue;
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(library, to);
  }
}

/** The native part, which lies beside the bundle. */
const NATIVE_PARTS = ['koffi', '@koromix/koffi-linux-x64'];

/** The disk with what is tested: the bundle with its native part beside it, the bundled cases, and other files or folders. */
export async function appImage(guest: string, image: string, others: readonly string[] = []): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'nodeqos-app-'));
  try {
    await runTool(process.execPath, ['build.js', '--out', join(folder, 'nodeqos.mjs')]);
    copyFileSync(guest, join(folder, 'guest.mjs'));
    for (const part of NATIVE_PARTS) {
      const from = join('node_modules', part);
      if (existsSync(from)) cpSync(from, join(folder, from), { recursive: true });
    }
    for (const other of others) cpSync(other, join(folder, basename(other)), { recursive: true });
    await makeDisk(folder, image, 8);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
