import type { FileTree } from '../../cgroup/file-tree.ts';
import type { TextFile } from '../../config/finding.ts';
import { EXIT, Failure } from '../exit.ts';
import { failedRead, HOST_PATHS, type InputTree, readInputFile } from './input-file.ts';

/** What the command line says about configuration files: paths of this machine. */
export interface ConfigurationFileOptions {
  /** The node's root; absent with --offline. */
  readonly root?: FileTree;
  readonly kubeletConfig?: string;
  readonly kubeletConfigDir?: string;
  readonly config?: string;
}

/** The texts of one configuration: its main file where there is one, and its drop-ins in the order of merging. */
export interface ConfigurationTexts {
  readonly main?: TextFile;
  readonly dropIns: readonly TextFile[];
}

/** Where nodeqos.yaml says that the kubelet's configuration is: paths inside the root. */
export interface KubeletFilePlaces {
  readonly file: string;
  readonly dropInDir?: string;
}

const NODEQOS_FILE = 'etc/nodeqos/nodeqos.yaml';

/**
 * nodeqos.yaml and what lies in the folder `FILE.d` beside it. A file that is named must be there; the root's own may be
 * missing. Throws Failure 66 for what is missing or a folder, 77 for what may not be read.
 */
export function readNodeQosFiles(options: ConfigurationFileOptions): ConfigurationTexts {
  if (options.config !== undefined) {
    const main = readInputFile(options.config);
    return { main, dropIns: readDropIns(HOST_PATHS, `${options.config}.d`, '.yaml', 'if-there') };
  }
  return options.root === undefined
    ? { dropIns: [] }
    : withMain(
        readIfThere(options.root, NODEQOS_FILE),
        readDropIns(options.root, `${NODEQOS_FILE}.d`, '.yaml', 'if-there'),
      );
}

/**
 * The KubeletConfiguration and its drop-ins: what the command line names, else what nodeqos.yaml says of the root. Like the
 * kubelet, it reads every `*.conf` at or below the drop-in folder, sorted by path. Throws Failure 66 and 77 as above.
 */
export function readKubeletFiles(
  options: ConfigurationFileOptions,
  places: KubeletFilePlaces,
): ConfigurationTexts {
  const { root } = options;
  const main =
    options.kubeletConfig === undefined
      ? root && readIfThere(root, inRoot(places.file))
      : readInputFile(options.kubeletConfig);
  if (options.kubeletConfigDir !== undefined) {
    return withMain(main, readDropIns(HOST_PATHS, options.kubeletConfigDir, '.conf', 'required'));
  }
  return root === undefined || places.dropInDir === undefined
    ? withMain(main, [])
    : withMain(main, readDropIns(root, inRoot(places.dropInDir), '.conf', 'if-there'));
}

function withMain(main: TextFile | undefined, dropIns: readonly TextFile[]): ConfigurationTexts {
  return main === undefined ? { dropIns } : { main, dropIns };
}

function inRoot(path: string): string {
  return path.replace(/^\/+/, '');
}

function readIfThere(tree: InputTree, path: string): TextFile | undefined {
  return tree.readFile(path).kind === 'missing' ? undefined : readInputFile(path, tree);
}

function readDropIns(
  tree: InputTree,
  folder: string,
  ending: string,
  need: 'required' | 'if-there',
): readonly TextFile[] {
  const listing = tree.readDirectory(folder);
  if (listing.kind === 'failed') throw failedRead(tree.nameOf(folder), listing.code);
  if (listing.kind === 'missing') {
    if (need === 'if-there') return [];
    throw new Failure(EXIT.noInput, `${tree.nameOf(folder)}: there is no such folder; check the path`);
  }
  const names = [
    ...listing.files.filter((name) => name.endsWith(ending)),
    ...nested(listing.directories, ending),
  ];
  return names
    .sort()
    .flatMap((name) =>
      listing.directories.includes(name)
        ? readDropIns(tree, `${folder}/${name}`, ending, 'if-there')
        : [readInputFile(`${folder}/${name}`, tree)],
    );
}

/** Only the kubelet walks into subfolders of its drop-in folder. */
function nested(directories: readonly string[], ending: string): readonly string[] {
  return ending === '.conf' ? directories : [];
}
