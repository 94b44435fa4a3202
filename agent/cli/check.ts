import type { Finding } from '../../config/finding.ts';
import { readKubeletConfiguration } from '../../config/kubelet/read.ts';
import { readNodeQosConfiguration } from '../../config/nodeqos/read.ts';
import type { NodeQosSettings, TaintSettings } from '../../config/nodeqos/settings.ts';
import { watchFiles } from '../../config/watch.ts';
import { EXIT, type ExitStatus, Failure } from '../exit.ts';
import type { ConfigurationTexts } from '../observe/configuration-files.ts';
import { type NodeRoot, openRoot } from '../observe/root.ts';
import { type ConfigReport, configReport, configReportText } from './check-report.ts';
import { defineCommand } from './console/command.ts';
import type { Io } from './console/io.ts';
import { CONFIGURATION_OPTIONS, OUTPUT_OPTIONS, ROOT_OPTIONS } from './console/options.ts';
import { type OutputFormat, printDocument } from './console/print.ts';
import {
  type ConfigurationArguments,
  configurationPaths,
  kubeletConfigurationTexts,
  nodeqosConfigurationTexts,
  warnWithoutKubelet,
} from './inputs/configuration.ts';
import { WatchedTaints } from './inputs/watched-taints.ts';

interface CheckArguments extends ConfigurationArguments {
  readonly root: string;
  readonly cgroupRoot?: string | undefined;
  readonly output: OutputFormat;
  readonly watch: boolean;
}

export const checkCommand = defineCommand({
  signature: 'check',
  summary: 'Check the configurations, and tell what they mean',
  positionals: {},
  options: {
    ...ROOT_OPTIONS,
    ...CONFIGURATION_OPTIONS,
    ...OUTPUT_OPTIONS,
    watch: {
      type: 'boolean',
      default: false,
      describe: 'Check again whenever a file changes, until interrupted',
    },
  },
  run: check,
});

/** 0 where both configurations are valid, 1 where one is not. Throws Failure 66 and 77 for files that cannot be read. */
async function check(args: CheckArguments, io: Io): Promise<ExitStatus> {
  const first = await checkOnce(args, io);
  if (!args.watch) {
    return first.status;
  }
  let { status } = first;
  let running = Promise.resolve();
  await watchFiles(
    configurationPaths(args, first.nodeqos),
    () => {
      running = running.then(async () => {
        status = await checkAgain(args, io);
      });
    },
    io.readerGone === undefined ? io.signal : AbortSignal.any([io.signal, io.readerGone]),
  );
  await running;
  return status;
}

async function checkOnce(
  args: CheckArguments,
  io: Io,
): Promise<{ readonly status: ExitStatus; readonly nodeqos: NodeQosSettings }> {
  const root = await openRoot({ root: args.root, cgroupRoot: args.cgroupRoot });
  const { report, nodeqos } = readBoth(args, root, io);
  printDocument(io, args.output, report, () => configReportText(report));
  return { status: report.valid ? EXIT.ok : EXIT.no, nodeqos };
}

/** A file that went away while it is watched does not end the watching: it may come back. */
async function checkAgain(args: CheckArguments, io: Io): Promise<ExitStatus> {
  try {
    return (await checkOnce(args, io)).status;
  } catch (error) {
    if (error instanceof Failure) {
      io.err(`nodeqos: ${error.message}\n`);
      return error.status;
    }
    throw error;
  }
}

function readBoth(
  args: CheckArguments,
  root: NodeRoot,
  io: Io,
): { readonly report: ConfigReport; readonly nodeqos: NodeQosSettings } {
  const own = nodeqosConfigurationTexts(args, root);
  const nodeqosReading = readNodeQosConfiguration(own.main, own.dropIns);
  const nodeqos = nodeqosReading.settings ?? defaultSettings();
  const texts = kubeletConfigurationTexts(args, root, nodeqos);
  warnWithoutKubelet(texts, io);
  const report = configReport(readKubeletConfiguration(texts.main, texts.dropIns), {
    ...nodeqosReading,
    warnings: [...nodeqosReading.warnings, ...taintWarnings(nodeqos.taints, root, own)],
  });
  return { report, nodeqos };
}

/** A configuration may be good before the Node's file is there; without it `run` does not start, so that it has to be told. */
function taintWarnings(settings: TaintSettings, root: NodeRoot, own: ConfigurationTexts): readonly Finding[] {
  const file = own.main?.file ?? own.dropIns.at(-1)?.file;
  if (file === undefined) return [];
  const taints = new WatchedTaints(settings, { root, nodeName: undefined });
  try {
    taints.first(0);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const message = `run will not start with it: ${error.message}`;
    return [{ file, path: 'taints.node', message }];
  }
  return taints.warnings().map(({ message }) => ({ file, path: 'taints.extra', message }));
}

/** Where nodeqos.yaml is refused, the kubelet's files are looked for in their usual places. */
function defaultSettings(): NodeQosSettings {
  const { settings } = readNodeQosConfiguration(undefined, []);
  if (settings === undefined) {
    throw new Error('the configuration without any file has errors');
  }
  return settings;
}
