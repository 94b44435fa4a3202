import type { FileTree } from '../../../cgroup/file-tree.ts';

/** Numbers of capabilities that nodeqos can use (linux/capability.h). */
const CAPABILITIES = [
  ['CAP_DAC_OVERRIDE', 1n],
  ['CAP_KILL', 5n],
  ['CAP_SYS_RESOURCE', 24n],
] as const;

/** Who this process is. */
export interface OwnUser {
  readonly uid: number;
  /** Those in force, of those that nodeqos can use. */
  readonly capabilities: readonly string[];
}

/** The effective user and capabilities of this process by /proc/self/status; undefined where it does not say. */
export function readOwnUser(files: Pick<FileTree, 'readFile'>): OwnUser | undefined {
  const read = files.readFile('proc/self/status');
  const text = read.kind === 'read' ? read.text : '';
  const [, uid] = /^Uid:\t\d+\t(\d+)\t/m.exec(text) ?? [];
  const [, hex] = /^CapEff:\t([0-9a-f]+)$/m.exec(text) ?? [];
  if (uid === undefined || hex === undefined) return undefined;
  const effective = BigInt(`0x${hex}`);
  const capabilities = CAPABILITIES.filter(([, bit]) => (effective & (1n << bit)) !== 0n);
  return { uid: Number(uid), capabilities: capabilities.map(([name]) => name) };
}
