import { type Finding, formatFinding, type TextFile } from '../../../config/finding.ts';
import { readKubeletConfiguration } from '../../../config/kubelet/read.ts';
import type { KubeletSettings, MemoryReservationPolicy } from '../../../config/kubelet/settings.ts';
import { readNodeQosConfiguration } from '../../../config/nodeqos/read.ts';
import type { NodeQosSettings } from '../../../config/nodeqos/settings.ts';
import type { WhatIf } from '../../../config/policy.ts';
import { EXIT, Failure } from '../../exit.ts';
import { capturedTexts } from '../../observe/captured/captured-inputs.ts';
import {
  type ConfigurationFileOptions,
  type ConfigurationTexts,
  readKubeletFiles,
  readNodeQosFiles,
} from '../../observe/configuration-files.ts';
import { present } from '../../observe/present.ts';
import type { NodeRoot } from '../../observe/root.ts';
import type { Io } from '../console/io.ts';

export interface ConfigurationArguments {
  readonly kubeletConfig?: string | undefined;
  readonly kubeletConfigDir?: string | undefined;
  readonly config?: string | undefined;
}

export interface Configuration {
  readonly kubelet: KubeletSettings;
  readonly nodeqos: NodeQosSettings;
  /** The main files that were read, by what people call them; a default that is not there is absent. */
  readonly files: { readonly kubelet?: string; readonly nodeqos?: string };
}

/**
 * Reads both configurations and warns of what is surely a mistake in them. nodeqos' own comes first, since it says where
 * the kubelet's is. Throws Failure 65 for one that `check` refuses, 66 and 77 for files that are not there or not readable.
 */
export function loadConfiguration(
  args: ConfigurationArguments,
  root: NodeRoot | undefined,
  io: Io,
): Configuration {
  const nodeqosTexts = nodeqosConfigurationTexts(args, root);
  const nodeqosReading = readNodeQosConfiguration(nodeqosTexts.main, nodeqosTexts.dropIns);
  const nodeqos = settled(nodeqosReading.settings, nodeqosReading.errors);
  const kubeletTexts = kubeletConfigurationTexts(args, root, nodeqos);
  const kubeletReading = readKubeletConfiguration(kubeletTexts.main, kubeletTexts.dropIns);
  const kubelet = settled(kubeletReading.settings, kubeletReading.errors);

  for (const finding of [...nodeqosReading.warnings, ...kubeletReading.warnings])
    io.warn(formatFinding(finding));
  warnWithoutKubelet(kubeletTexts, io);
  const files = {
    ...present('kubelet', kubeletTexts.main?.file),
    ...present('nodeqos', nodeqosTexts.main?.file),
  };
  return { kubelet, nodeqos, files };
}

/** Says that the kubelet's defaults are used, where nothing of its configuration was found. */
export function warnWithoutKubelet({ main, dropIns }: ConfigurationTexts, io: Io): void {
  if (main === undefined && dropIns.length === 0) {
    io.warn(
      "no KubeletConfiguration was found, so the kubelet's defaults are used; give --kubelet-config FILE",
    );
  }
}

/**
 * The files and folders of both configurations as paths of this machine, whether they are there or not: what is watched to
 * see that one of them changed.
 */
export function configurationPaths(
  args: ConfigurationArguments & { readonly root: string },
  nodeqos: NodeQosSettings,
): readonly string[] {
  const inRoot = (path: string): string => `${args.root.replace(/\/+$/, '')}${path}`;
  const { file, dropInDir } = nodeqos.kubeletConfiguration;
  const own = args.config ?? inRoot('/etc/nodeqos/nodeqos.yaml');
  const folder = args.kubeletConfigDir ?? (dropInDir === undefined ? undefined : inRoot(dropInDir));
  return [own, `${own}.d`, args.kubeletConfig ?? inRoot(file), ...(folder === undefined ? [] : [folder])];
}

/** The texts of nodeqos.yaml: what the command line names, else what was captured, else the root's own. */
export function nodeqosConfigurationTexts(
  args: ConfigurationArguments,
  root: NodeRoot | undefined,
): ConfigurationTexts {
  const captured = args.config === undefined && root !== undefined ? capturedTexts(root) : undefined;
  if (captured !== undefined) {
    return texts(captured.nodeqosMain, captured.nodeqosDropIns);
  }
  return readNodeQosFiles(fileOptions(args, root));
}

/** The texts of the KubeletConfiguration, found like those of nodeqos.yaml, which may say where they are. */
export function kubeletConfigurationTexts(
  args: ConfigurationArguments,
  root: NodeRoot | undefined,
  nodeqos: NodeQosSettings,
): ConfigurationTexts {
  const isGiven = args.kubeletConfig !== undefined || args.kubeletConfigDir !== undefined;
  const captured = !isGiven && root !== undefined ? capturedTexts(root) : undefined;
  if (captured !== undefined) {
    return texts(captured.kubeletMain, captured.kubeletDropIns);
  }
  return readKubeletFiles(fileOptions(args, root), nodeqos.kubeletConfiguration);
}

function texts(main: TextFile | undefined, dropIns: readonly TextFile[]): ConfigurationTexts {
  return main === undefined ? { dropIns } : { main, dropIns };
}

function fileOptions(args: ConfigurationArguments, root: NodeRoot | undefined): ConfigurationFileOptions {
  return {
    ...(root === undefined ? {} : { root: root.files }),
    ...(args.kubeletConfig === undefined ? {} : { kubeletConfig: args.kubeletConfig }),
    ...(args.kubeletConfigDir === undefined ? {} : { kubeletConfigDir: args.kubeletConfigDir }),
    ...(args.config === undefined ? {} : { config: args.config }),
  };
}

function settled<T>(settings: T | undefined, errors: readonly Finding[]): T {
  const [first, ...others] = errors;
  if (settings !== undefined && first === undefined) return settings;
  const more = others.length === 0 ? '' : ` (and ${others.length} more; nodeqos check lists them)`;
  throw new Failure(
    EXIT.badData,
    `${first === undefined ? 'the configuration is refused' : formatFinding(first)}${more}`,
  );
}

export interface WhatIfArguments {
  readonly throttlingFactor?: string | undefined;
  readonly reservationPolicy?: MemoryReservationPolicy | undefined;
  readonly protection?: 'kubelet' | 'safe' | undefined;
}

/** What the what-if options say. Throws Failure 64 for a factor that is not a number above 0 and at most 1. */
export function whatIfOf(args: WhatIfArguments): WhatIf {
  return {
    ...(args.throttlingFactor === undefined ? {} : { throttlingFactor: factorOf(args.throttlingFactor) }),
    ...(args.reservationPolicy === undefined ? {} : { reservationPolicy: args.reservationPolicy }),
    ...(args.protection === undefined ? {} : { protection: args.protection }),
  };
}

function factorOf(text: string): number {
  const factor = /^[0-9.]+(e-?[0-9]+)?$/i.test(text) ? Number(text) : Number.NaN;
  if (factor > 0 && factor <= 1) return factor;
  throw new Failure(
    EXIT.usage,
    `--throttling-factor ${text}: give a number above 0 and at most 1, such as 0.9`,
  );
}
