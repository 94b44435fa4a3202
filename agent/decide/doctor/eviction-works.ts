import { evictionStanding } from '../beside-kubelet.ts';
import { chooseEvictor, type EvictorLacks } from '../evictor-choice.ts';
import type { DoctorFacts } from './facts.ts';
import { chosenSocket } from './runtime-checks.ts';
import { type DoctorWork, type Job, no, partly, yes } from './work.ts';

const SIGNALS: Job = { id: 'eviction-signals', title: 'Eviction: signals' };
const WAKE_UP: Job = { id: 'wake-up', title: 'Eviction: woken by PSI' };
const BY_CGROUP: Job = { id: 'evictor-cgroup', title: 'Evictor cgroup' };
const BY_RUNTIME: Job = { id: 'evictor-cri', title: 'Evictor cri' };
const BY_API: Job = { id: 'evictor-api', title: 'Evictor api' };
const BESIDE: Job = { id: 'beside-kubelet', title: 'Beside a kubelet' };

/** What of evictions will work. `lack`: what the main job lacks, if anything. */
export function evictionWorks(facts: DoctorFacts, lack: string | undefined): readonly DoctorWork[] {
  const cri = runtimeWork(facts);
  const api = apiWork(facts);
  const lacks = evictorLacks(facts);
  return [
    signalsWork(facts, lack),
    wakeUpWork(facts),
    cgroupWork(facts, lack),
    cri,
    api,
    lack === undefined ? besideWork(facts, lacks) : no(BESIDE, lack),
  ];
}

/** Whom nobody could ask to end a pod, as far as looking tells. */
export function evictorLacks(facts: DoctorFacts): EvictorLacks {
  return { ...lackIn('cri', runtimeWork(facts)), ...lackIn('api', apiWork(facts)) };
}

function lackIn(evictor: 'cri' | 'api', { works, because }: DoctorWork): EvictorLacks {
  return works === 'no' ? { [evictor]: because } : {};
}

function signalsWork({ own }: DoctorFacts, lack: string | undefined): DoctorWork {
  if (lack !== undefined) return no(SIGNALS, lack);
  const { wanted, observed } = own.signals;
  const unseen = wanted.filter((signal) => !observed.includes(signal));
  if (observed.length === 0) return no(SIGNALS, 'none can be observed');
  const seen = `observed: ${observed.join(', ')}`;
  if (unseen.length === 0) return yes(SIGNALS, seen);
  return unseen.includes('memory.available')
    ? no(SIGNALS, `memory.available has a threshold and cannot be observed; ${seen}`)
    : partly(SIGNALS, `${seen}; with a threshold and not observed: ${unseen.join(', ')}`);
}

function wakeUpWork({ pressure, own, root }: DoctorFacts): DoctorWork {
  const { trigger, memory } = pressure;
  if (trigger !== undefined && 'windowSeconds' in trigger) {
    return yes(
      WAKE_UP,
      `a trigger with a window of ${trigger.windowSeconds} s can be set on /proc/pressure/memory`,
    );
  }
  if (trigger !== undefined) return no(WAKE_UP, `the kernel refused a trigger (${trigger.code})`);
  if (memory !== 'read') return no(WAKE_UP, 'there is no PSI that can be read');
  return root.kind === 'host' && own.nativeLack !== undefined
    ? no(WAKE_UP, 'there is no native part')
    : partly(WAKE_UP, 'whether a trigger can be set only the node itself tells');
}

function cgroupWork({ cgroup, own, kernel, root }: DoctorFacts, lack: string | undefined): DoctorWork {
  if (lack !== undefined) return no(BY_CGROUP, lack);
  if (typeof cgroup.limitWrite === 'object') {
    return no(
      BY_CGROUP,
      `this user may not write to cgroups (${cgroup.limitWrite.code}); another one may, such as root`,
    );
  }
  if (own.user?.capabilities.includes('CAP_KILL') === false) {
    return no(
      BY_CGROUP,
      'this user may not signal the processes of pods (CAP_KILL); another one may, such as root',
    );
  }
  if (root.kind === 'capture') return partly(BY_CGROUP, 'who may end pods only the node itself tells');
  const lesser = [
    ...(cgroup.files['cgroup.kill'] === false ? ['without cgroup.kill each process is signalled'] : []),
    ...(root.kind === 'host' && kernel.pidfd !== 'works'
      ? ['without pidfd processes are signalled by PID']
      : []),
  ];
  return lesser.length === 0
    ? yes(BY_CGROUP, 'processes are signalled, and after the grace cgroup.kill ends the rest')
    : partly(BY_CGROUP, lesser.join('; '));
}

function runtimeWork({ runtime, own }: DoctorFacts): DoctorWork {
  if (own.runtimeLack !== undefined) return no(BY_RUNTIME, own.runtimeLack);
  if (runtime.sockets === undefined)
    return partly(BY_RUNTIME, 'which runtime is there only the node itself tells');
  const chosen = chosenSocket(runtime.sockets);
  switch (chosen?.state) {
    case 'open':
      return yes(BY_RUNTIME, `${chosen.runtime} is asked at ${chosen.path}`);
    case 'denied':
      return no(BY_RUNTIME, `this user may not open ${chosen.path}`);
    case 'missing':
    case 'no-socket':
      return no(BY_RUNTIME, `${chosen.path} is no socket of a runtime`);
    case undefined:
      return no(BY_RUNTIME, 'no socket of a runtime is there');
  }
}

function apiWork({ kubelet, root }: DoctorFacts): DoctorWork {
  const [first] = kubelet.credentials.filter((credential) => credential.of === 'api');
  if (root.kind === 'capture') return partly(BY_API, 'credentials are in no capture');
  if (first === undefined || first.state === 'missing') {
    return no(
      BY_API,
      `there are no credentials: ${first?.path ?? 'no api.kubeconfig and no service account'}`,
    );
  }
  return first.state === 'readable'
    ? partly(BY_API, `${first.path} is there; whether the API server takes it was not asked`)
    : no(BY_API, `${first.path} cannot be read (${first.state.code})`);
}

/** How evictions would stand in enforce, whatever the mode is now. */
function besideWork({ kubelet, own }: DoctorFacts, lacks: EvictorLacks): DoctorWork {
  const { eviction } = own.settings;
  if (kubelet.alive === undefined) {
    return partly(
      BESIDE,
      'whether a kubelet lives here is not known; beside one evictions stay dry by default',
    );
  }
  const standing = evictionStanding({
    eviction,
    mode: 'enforce',
    kubelet: kubelet.alive ?? undefined,
    evictor: chooseEvictor(eviction.evictor, own.podsSource, lacks),
  });
  if (standing.refusal !== undefined) return no(BESIDE, standing.refusal);
  switch (standing.evictions) {
    case 'on':
      return yes(
        BESIDE,
        kubelet.alive === null ? 'there is none: nodeqos evicts' : `${kubelet.alive}, and both evict`,
      );
    case 'dry':
      return partly(BESIDE, `Memory QoS goes on and evictions stay dry: ${standing.because ?? ''}`);
    case 'off':
      return partly(BESIDE, `Memory QoS alone: ${standing.because ?? ''}`);
  }
}
