/** The protection that counts in node-wide reclaim. */
export interface EffectiveProtection {
  readonly cgroup: string;
  readonly min: bigint;
  readonly low: bigint;
}
