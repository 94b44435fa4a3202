import type { FileTree } from '../../cgroup/file-tree.ts';
import type { TextFile } from '../../config/finding.ts';

export interface ConfigurationFileOptions {
  /** The node's root; absent with --offline. */
  readonly root?: FileTree;
  readonly kubeletConfig?: string;
  readonly kubeletConfigDir?: string;
  readonly config?: string;
}

export interface ConfigurationFiles {
  readonly kubeletMain?: TextFile;
  readonly kubeletDropIns: readonly TextFile[];
  readonly nodeqosMain?: TextFile;
  readonly nodeqosDropIns: readonly TextFile[];
}

export function readConfigurationFiles(options: ConfigurationFileOptions): ConfigurationFiles {
  throw new Error(`not there yet: ${options.config ?? ''}`);
}
