import type { NodeQosSettings } from '../../config/nodeqos/settings.ts';

/** The evictor that a configuration comes to. */
export interface ChosenEvictor {
  readonly name: 'dry' | 'cgroup' | 'cri' | 'api';
  /** Set where this version has no such evictor: evictions stay dry. */
  readonly lack?: string;
}

/**
 * The evictor for a setting and a source of pods such as `file:PATH` or `auto`. `auto` is the one who can keep a pod from
 * coming back: the API for pods that it owns, the runtime for its own; pods from files have nobody but their cgroups.
 */
export function chooseEvictor(
  setting: NodeQosSettings['eviction']['evictor'],
  podSource: string,
): ChosenEvictor {
  const name = setting === 'auto' ? evictorOf(podSource) : setting;
  if (name === 'dry' || name === 'cgroup') {
    return { name };
  }
  const from = setting === 'auto' ? `for pods from ${podSource} ` : '';
  return {
    name,
    lack: `the evictor ${name} ${from}is not in this version of nodeqos, so evictions stay dry; eviction.evictor: cgroup works on cgroups alone`,
  };
}

function evictorOf(podSource: string): 'cgroup' | 'cri' | 'api' {
  if (podSource === 'api' || podSource.startsWith('kubelet:')) {
    return 'api';
  }
  return podSource.startsWith('cri:') ? 'cri' : 'cgroup';
}
