import type { NodeQosSettings } from '../../config/nodeqos/settings.ts';

/** The evictor that a configuration comes to. */
export interface ChosenEvictor {
  readonly name: 'dry' | 'cgroup' | 'cri' | 'api';
  /** Set where this version has no such evictor: evictions stay dry. */
  readonly lack?: string;
}

/** The evictor for a setting and a source of pods such as `file:PATH` or `auto`. */
export function chooseEvictor(
  _setting: NodeQosSettings['eviction']['evictor'],
  _podSource: string,
): ChosenEvictor {
  throw new Error('not yet');
}
