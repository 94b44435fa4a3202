import type { NodeQosSettings } from '../../config/nodeqos/settings.ts';

/** The evictor that a configuration comes to. */
export interface ChosenEvictor {
  readonly name: 'dry' | 'cgroup' | 'cri' | 'api';
  /** Set where there is nobody whom it could ask: evictions stay dry. */
  readonly lack?: string;
}

/** Why an evictor that asks somebody has nobody to ask; absent where it has. */
export interface EvictorLacks {
  readonly api?: string;
  readonly cri?: string;
}

/**
 * The evictor for a setting and a source of pods such as `file:PATH` or `auto`. `auto` is the one who can keep a pod from
 * coming back: the API for pods that it owns, the runtime for its own; pods from files have nobody but their cgroups. A source
 * that is undefined is not known yet.
 */
export function chooseEvictor(
  setting: NodeQosSettings['eviction']['evictor'],
  podSource: string | undefined,
  lacks: EvictorLacks = {},
): ChosenEvictor {
  const name = setting === 'auto' && podSource !== undefined ? evictorOf(podSource) : setting;
  if (name === 'auto') {
    return { name: 'dry', lack: 'it is not known yet from where the pods come, and so not who ends them' };
  }
  const lack = name === 'api' || name === 'cri' ? lacks[name] : undefined;
  if (lack === undefined) return { name };
  const from = setting === 'auto' && podSource !== undefined ? ` for pods from ${podSource}` : '';
  return {
    name,
    lack: `the evictor ${name}${from} has nobody to ask (${lack}), so evictions stay dry; eviction.evictor: cgroup works on cgroups alone`,
  };
}

function evictorOf(podSource: string): 'cgroup' | 'cri' | 'api' {
  if (podSource === 'api' || podSource.startsWith('kubelet:')) {
    return 'api';
  }
  return podSource.startsWith('cri:') ? 'cri' : 'cgroup';
}
