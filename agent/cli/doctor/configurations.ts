import { type Finding, formatFinding } from '../../../config/finding.ts';
import { readKubeletConfiguration } from '../../../config/kubelet/read.ts';
import type { KubeletSettings } from '../../../config/kubelet/settings.ts';
import { readNodeQosConfiguration } from '../../../config/nodeqos/read.ts';
import type { NodeQosSettings } from '../../../config/nodeqos/settings.ts';
import type { ConfigurationLook } from '../../decide/doctor/facts.ts';
import { Failure } from '../../exit.ts';
import type { ConfigurationTexts } from '../../observe/configuration-files.ts';
import type { NodeRoot } from '../../observe/root.ts';
import {
  type ConfigurationArguments,
  kubeletConfigurationTexts,
  nodeqosConfigurationTexts,
} from '../inputs/configuration.ts';

/** Both configurations, each with how its reading ended; where it was refused, the defaults are gone by. */
export interface LenientConfiguration {
  readonly nodeqos: NodeQosSettings;
  readonly nodeqosLook: ConfigurationLook;
  readonly kubelet: KubeletSettings;
  readonly kubeletLook: ConfigurationLook;
}

/** Reads both configurations like `check`, but goes on with the defaults where one is broken or cannot be read. */
export function readConfigurations(args: ConfigurationArguments, root: NodeRoot): LenientConfiguration {
  const own = lenient(() => nodeqosConfigurationTexts(args, root), readNodeQosConfiguration, {
    place: root.files.nameOf('etc/nodeqos/nodeqos.yaml'),
  });
  const { file } = own.settings.kubeletConfiguration;
  const kubelet = lenient(
    () => kubeletConfigurationTexts(args, root, own.settings),
    readKubeletConfiguration,
    { place: root.files.nameOf(file.replace(/^\/+/, '')) },
  );
  return {
    nodeqos: own.settings,
    nodeqosLook: own.look,
    kubelet: kubelet.settings,
    kubeletLook: kubelet.look,
  };
}

interface Reading<S> {
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly settings?: S;
}

type Reader<S> = (main: ConfigurationTexts['main'], dropIns: ConfigurationTexts['dropIns']) => Reading<S>;

function lenient<S>(
  texts: () => ConfigurationTexts,
  read: Reader<S>,
  { place }: { readonly place: string },
): { readonly settings: S; readonly look: ConfigurationLook } {
  let found: ConfigurationTexts;
  try {
    found = texts();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { settings: defaultsOf(read), look: { kind: 'unreadable', message: error.message } };
  }
  const { settings, errors, warnings } = read(found.main, found.dropIns);
  const [first] = errors;
  if (settings === undefined || first !== undefined) {
    const message = first === undefined ? `${place} is refused` : formatFinding(first);
    return {
      settings: defaultsOf(read),
      look: { kind: 'refused', message, more: Math.max(0, errors.length - 1) },
    };
  }
  const file = found.main?.file ?? found.dropIns[0]?.file;
  const look: ConfigurationLook =
    file === undefined ? { kind: 'absent', place } : { kind: 'valid', file, warnings: warnings.length };
  return { settings, look };
}

/** No file at all is always good. */
function defaultsOf<S>(read: Reader<S>): S {
  const { settings } = read(undefined, []);
  if (settings === undefined) throw new Error('the defaults are refused');
  return settings;
}
