import { parsePressure } from '../../../cgroup/pressure.ts';
import type { PressureFacts } from '../../decide/doctor/facts.ts';
import { isNative, type Native, type NativeLack } from '../../native/native.ts';
import { present } from '../present.ts';
import type { NodeRoot } from '../root.ts';
import { PRESSURE_TRIGGERS } from '../wake/psi.ts';

const FILE = 'proc/pressure/memory';

/**
 * What a root tells of memory pressure. On this machine a trigger is set on /proc/pressure/memory, where it has no effect on
 * anybody, and taken away again at once; nothing is written to a cgroup. Throws nothing.
 */
export function pressureFacts(
  { kind, files }: NodeRoot,
  release: string | undefined,
  native: Native | NativeLack,
): PressureFacts {
  const memory = memoryPressure(files);
  const canTry = kind === 'host' && memory === 'read' && isNative(native);
  return {
    memory,
    file: files.nameOf(FILE),
    ...present('bootOption', bootOption(files)),
    ...present('built', release === undefined ? undefined : builtWith(files, release)),
    ...present('trigger', canTry ? tryTriggers(native, files.nameOf(FILE)) : undefined),
  };
}

/** A file that holds no pressure is as good as one that cannot be read. */
function memoryPressure(files: NodeRoot['files']): PressureFacts['memory'] {
  const read = files.readFile(FILE);
  if (read.kind === 'missing') return 'missing';
  if (read.kind === 'failed') return { code: read.code };
  return parsePressure(read.text) === undefined ? { code: 'EINVAL' } : 'read';
}

function bootOption(files: NodeRoot['files']): string | undefined {
  const read = files.readFile('proc/cmdline');
  return read.kind === 'read' ? /(?:^|\s)psi=(\S+)/.exec(read.text)?.[1] : undefined;
}

/** Distributions put the configuration of a kernel beside it. */
function builtWith(files: NodeRoot['files'], release: string): PressureFacts['built'] {
  const read = files.readFile(`boot/config-${release}`);
  if (read.kind !== 'read') return undefined;
  if (!/^CONFIG_PSI=y$/m.test(read.text)) return 'no';
  return /^CONFIG_PSI_DEFAULT_DISABLED=y$/m.test(read.text) ? 'off-by-default' : 'on';
}

function tryTriggers(native: Native, path: string): Exclude<PressureFacts['trigger'], undefined> {
  let code = '';
  for (const { trigger, windowSeconds } of PRESSURE_TRIGGERS) {
    const armed = native.armPressureTrigger(path, trigger, () => undefined);
    if (armed.ok) {
      armed.value.disarm();
      return { windowSeconds };
    }
    ({ code } = armed);
    if (code !== 'EINVAL') break;
  }
  return { code };
}
