/** Whose preemption is played: from 1.37 on it honours priority and disruption mode of groups, in 1.36 it does not. */
export type SchedulerRelease = '1.37' | '1.36';
