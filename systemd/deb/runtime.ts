import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Architecture, NODE_ARCHITECTURE } from './architecture.ts';
import { unpackedArchive } from './npm-archive.ts';
import { dataFile, type PackagedFile, programFile } from './packaged-file.ts';
import pinned from './runtime.json' with { type: 'json' };

const LIBRARY = 'usr/lib/nodeqos';
/** GNU strip for a machine's binaries: Debian names it after the machine. */
const STRIP = { amd64: 'x86_64-linux-gnu-strip', arm64: 'aarch64-linux-gnu-strip' } as const;

/** The Node.js that runs the program, and what is said about its licence. */
export interface NodeRuntime {
  readonly version: string;
  readonly binary: string;
  readonly license: string;
}

/** Fetches the pinned Node.js of an architecture and takes its symbols out, which nobody on a node needs: 18 MB less. */
export function nodeRuntime(architecture: Architecture): NodeRuntime {
  const folder = unpackedArchive({ ...pinned.packages[architecture], version: pinned.version });
  const binary = join(folder, 'bin/node');
  const stripped = `${binary}.stripped`;
  if (!existsSync(stripped)) {
    const unfinished = `${stripped}.${process.pid}`;
    execFileSync(STRIP[architecture], [
      '--strip-unneeded',
      '--remove-section=.comment',
      '-o',
      unfinished,
      binary,
    ]);
    execFileSync('mv', [unfinished, stripped]);
  }
  return {
    version: pinned.version,
    binary: stripped,
    license: readFileSync(join(folder, 'LICENSE'), 'utf8'),
  };
}

/** The files of Node.js and of the native part, `koffi`: its loader, and the object of this architecture alone. */
export function runtimeFiles(architecture: Architecture, node: NodeRuntime): readonly PackagedFile[] {
  const name = `@koromix/koffi-linux-${NODE_ARCHITECTURE[architecture]}`;
  const native = unpackedArchive(lockedArchive(name));
  const object = `linux_${NODE_ARCHITECTURE[architecture]}/koffi.node`;
  const modules = `${LIBRARY}/node_modules`;
  return [
    programFile(`${LIBRARY}/node`, { copyOf: node.binary }),
    ...['package.json', 'index.js', 'src/koffi/index.js', 'src/koffi/src/static.js'].map((path) =>
      dataFile(`${modules}/koffi/${path}`, readFileSync(`node_modules/koffi/${path}`)),
    ),
    ...['package.json', 'index.js', object].map((path) =>
      dataFile(`${modules}/${name}/${path}`, readFileSync(join(native, path))),
    ),
  ];
}

/** What package-lock.json pins a package at. */
function lockedArchive(name: string): { name: string; version: string; integrity: string } {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { version: string; integrity: string } | undefined>;
  };
  const locked = lock.packages[`node_modules/${name}`];
  if (locked === undefined) throw new Error(`package-lock.json does not have ${name}`);
  return { name, version: locked.version, integrity: locked.integrity };
}
