import { readFileSync } from 'node:fs';
import type { Architecture } from '../deb/architecture.ts';
import { builtBundle } from '../deb/bundle.ts';
import { bundledLibraries, libraryAt } from '../deb/bundled-libraries.ts';
import { newestEntry } from '../deb/changelog.ts';
import { copyrightText, NODE_NOTICES } from '../deb/copyright.ts';
import { documentationFiles } from '../deb/files.ts';
import type { PackagedFile } from '../deb/packaged-file.ts';
import { nodeRuntime, runtimeFiles } from '../deb/runtime.ts';
import { debianFiles } from './debian.ts';
import { fileEntry, folderEntry, type LayerEntry, linkEntry } from './layer.ts';
import type { Image } from './oci.ts';

const PROGRAM = 'usr/lib/nodeqos';

/** What makes root a name, and names of hosts numbers (nsswitch.conf(5)). */
const SYSTEM_FILES: Readonly<Record<string, string>> = {
  'etc/passwd': 'root:x:0:0:root:/:/usr/sbin/nologin\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n',
  'etc/group': 'root:x:0:\nnogroup:x:65534:\n',
  'etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
};

/** Where a container has its system, and where manifests put what they take from the host. */
const FOLDERS = ['dev', 'etc/nodeqos/nodeqos.yaml.d', 'host', 'proc', 'run', 'sys', 'var/lib/nodeqos'];

/**
 * The image of the sources: Debian's libraries below, Node.js with the native part above them, the program on top, so that
 * another version of the program is a small layer. There is no shell in it and no package manager.
 */
export function nodeqosImage(architecture: Architecture, version: string): Image {
  const { epochSeconds } = newestEntry(readFileSync('systemd/deb/changelog', 'utf8'));
  const debian = debianFiles(architecture);
  const node = nodeRuntime(architecture);
  const { files: bundle, meta } = builtBundle(version);
  const libraries = [...bundledLibraries(meta), libraryAt('node_modules/koffi')];
  const base = [...debian.packages].map(([name, of]) => `${name} ${of}`).join(', ');
  return {
    // A tag takes fewer signs than a version.
    name: `localhost/nodeqos:${version.replaceAll(/[^\w.-]/g, '-')}`,
    architecture,
    epochSeconds,
    entrypoint: ['/usr/bin/nodeqos'],
    command: ['run'],
    environment: ['PATH=/usr/bin'],
    labels: {
      'org.opencontainers.image.title': 'nodeqos',
      'org.opencontainers.image.description':
        'Memory QoS and node-pressure eviction for nodes with cgroup v2',
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.licenses': 'Apache-2.0',
      'dev.nodeqos.image.debian': base,
      'dev.nodeqos.image.node': node.version,
    },
    layers: [
      {
        what: `of Debian: ${base}`,
        entries: [
          ...debian.entries,
          ...Object.entries(SYSTEM_FILES).map(([path, text]) => fileEntry(path, text)),
          ...FOLDERS.map((path) => folderEntry(path)),
          folderEntry('tmp', 0o1777),
        ],
      },
      {
        what: `Node.js ${node.version}`,
        entries: [
          ...runtimeFiles(architecture, node).map(entryOf),
          ...documentationFiles('', node, libraries)
            .filter(({ path }) => path === NODE_NOTICES)
            .map(entryOf),
        ],
      },
      {
        what: `nodeqos ${version}`,
        entries: [
          ...programEntries(bundle),
          fileEntry('etc/nodeqos/nodeqos.yaml', readFileSync('config/nodeqos/nodeqos.yaml')),
          fileEntry('usr/share/doc/nodeqos/copyright', copyrightText(node.version, libraries)),
        ],
      },
    ],
  };
}

/** Without a shell nothing launches the program: its first line names the Node.js that runs it. */
function programEntries(bundle: ReadonlyMap<string, string>): readonly LayerEntry[] {
  const files = [...bundle].map(([name, text]) => {
    const isEntry = text.startsWith('#!');
    const runnable = text.replace(/^#!.*\n/, `#!/${PROGRAM}/node\n`);
    return fileEntry(`${PROGRAM}/${name}`, runnable, isEntry ? 0o755 : 0o644);
  });
  return [...files, linkEntry('usr/bin/nodeqos', `../lib/nodeqos/nodeqos.mjs`)];
}

function entryOf({ path, mode, content }: PackagedFile): LayerEntry {
  const isCopied = typeof content === 'object' && 'copyOf' in content;
  return fileEntry(path, isCopied ? readFileSync(content.copyOf) : content, mode);
}
