import { amiss, type DoctorCheck, fine, type Subject } from './check.ts';
import type { DoctorFacts, PressureFacts } from './facts.ts';

const group = 'pressure' as const;
const PSI: Subject = { id: 'psi', group, title: 'Pressure (PSI)' };
const TRIGGER: Subject = { id: 'psi-trigger', group, title: 'Pressure triggers' };

const ASLEEP =
  'memory that runs out between two looks wakes nobody; they are at least loop.minInterval apart then';

/** What the kernel tells of memory pressure, and whether it wakes the agent. */
export function pressureChecks({ pressure, own, root }: DoctorFacts): readonly DoctorCheck[] {
  return [psiCheck(pressure), triggerCheck(pressure, own.nativeLack, root.kind === 'host')];
}

function psiCheck({ memory, file, bootOption, built }: PressureFacts): DoctorCheck {
  const consequence = 'pressure is not shown beside decisions, and wakes nobody';
  if (memory === 'read') return fine(PSI, `${file} is read`);
  if (typeof memory !== 'string' && memory.code !== 'EOPNOTSUPP') {
    return amiss(PSI, 'not-known', `${file} cannot be read (${memory.code})`, {
      consequence,
      remedy: 'run the doctor as a user who may read it',
    });
  }
  if (built === 'no') {
    return amiss(PSI, 'missing', 'this kernel is built without CONFIG_PSI', {
      consequence,
      remedy: 'use a kernel that is built with CONFIG_PSI',
    });
  }
  return amiss(PSI, 'missing', whyOff(memory, bootOption, built), {
    consequence,
    remedy: 'boot with psi=1',
  });
}

/** The file can be there and answer that it is off, or not be there at all; both mean that there is none. */
function whyOff(
  memory: Exclude<PressureFacts['memory'], 'read'>,
  bootOption: string | undefined,
  built: PressureFacts['built'],
): string {
  if (bootOption !== undefined && /^(?:0|n|f|of)/i.test(bootOption)) {
    return `switched off at boot (psi=${bootOption})`;
  }
  if (built === 'off-by-default') return 'off, as CONFIG_PSI_DEFAULT_DISABLED has it';
  return memory === 'missing' ? 'there is no proc/pressure/memory' : 'off';
}

function triggerCheck(
  { trigger, memory }: PressureFacts,
  nativeLack: string | undefined,
  isHost: boolean,
): DoctorCheck {
  if (trigger !== undefined && 'windowSeconds' in trigger) {
    const { windowSeconds } = trigger;
    return windowSeconds === 1
      ? fine(TRIGGER, '150 ms of stall within 1 s wake the agent')
      : fine(TRIGGER, `150 ms of stall within ${windowSeconds} s wake the agent (1 s with CAP_SYS_RESOURCE)`);
  }
  if (memory === 'missing' || (typeof memory !== 'string' && memory.code === 'EOPNOTSUPP')) {
    return amiss(TRIGGER, 'missing', 'there is no PSI to set one on', {
      consequence: ASLEEP,
      remedy: 'boot with psi=1',
    });
  }
  if (trigger !== undefined) {
    return amiss(TRIGGER, 'missing', `the kernel refused one on /proc/pressure/memory (${trigger.code})`, {
      consequence: ASLEEP,
      remedy: remedyFor(trigger.code),
    });
  }
  return isHost && nativeLack !== undefined
    ? amiss(TRIGGER, 'missing', 'not to be had without the native part', {
        consequence: ASLEEP,
        remedy: 'install the package of nodeqos, or the library koffi beside it',
      })
    : amiss(TRIGGER, 'not-known', 'only the node itself tells', {
        consequence: ASLEEP,
        remedy: 'run the doctor on the node',
      });
}

function remedyFor(code: string): string {
  switch (code) {
    case 'EINVAL':
      return 'run nodeqos with CAP_SYS_RESOURCE, or use kernel 6.5 or newer';
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return 'run nodeqos with CAP_SYS_RESOURCE; in a container, mount /proc of the host writable';
    default:
      return 'look into the log of the kernel; nodeqos goes on without it';
  }
}
