import { greatestLimitBytes, type Limit } from './memory-files.ts';
import type { CgroupReading, CgroupSnapshot } from './snapshot.ts';

/** The protection in bytes that counts in node-wide reclaim. */
export interface EffectiveProtection {
  readonly cgroup: string;
  readonly min: bigint;
  readonly low: bigint;
}

/** One cgroup as the reclaim rule sees it, for one of the two knobs. */
export interface Claim {
  readonly usage: bigint;
  /** What memory.min or memory.low says. */
  readonly value: bigint;
}

/** The cgroup that hands protection down: its usage and its own effective protection. */
export interface Protector {
  readonly usage: bigint;
  readonly effective: bigint;
}

/**
 * The effective protection of children of one cgroup in bytes, in the order given (kernel: effective_protection in
 * mm/memcontrol.c). A child claims min(usage, value). Claims beyond what the parent has are cut in proportion; with
 * `recursive` (mount option memory_recursiveprot) what nobody claimed flows to all children by their unclaimed usage.
 * Divisions round down.
 */
export function effectiveOfChildren(
  parent: Protector,
  children: readonly Claim[],
  recursive: boolean,
): readonly bigint[] {
  const claims = children.map(({ usage, value }) => (usage < value ? usage : value));
  let claimed = 0n;
  for (const claim of claims) {
    claimed += claim;
  }
  if (claimed > parent.effective) {
    return claims.map((claim) => (claim * parent.effective) / claimed);
  }
  if (!recursive || parent.effective <= claimed || parent.usage <= claimed) {
    return claims;
  }
  const unclaimed = parent.effective - claimed;
  const unclaimedUsage = parent.usage - claimed;
  return claims.map((claim, index) => {
    const usage = children[index]?.usage ?? 0n;
    return usage > claim ? claim + (unclaimed * (usage - claim)) / unclaimedUsage : claim;
  });
}

export interface EffectiveRequest {
  /** The mount option; undefined is not known and counts as off. */
  readonly recursive: boolean | undefined;
  readonly pageSizeBytes: number;
  /** What a file will have after the plan; undefined where the plan does not touch it. */
  readonly planned: (cgroup: string, file: 'memory.min' | 'memory.low') => Limit | undefined;
}

interface Node {
  readonly cgroup: string;
  readonly usage: bigint;
  readonly isMeasured: boolean;
  readonly min: bigint;
  readonly low: bigint;
  readonly children: readonly CgroupReading[];
}

/**
 * The effective protection of kubepods and everything below it in node-wide reclaim, parents before children and
 * siblings bytewise. A child of the mount's root has its own value, whole; deeper ones share what their parent has, by
 * what they use: one whose usage is not known claims nothing and is left out with all that is below it, since what it has
 * is not known either. A limit that is not known is the kernel's default.
 */
export function effectiveProtection(
  snapshot: CgroupSnapshot,
  request: EffectiveRequest,
): readonly EffectiveProtection[] {
  const { kubepods } = snapshot;
  if (kubepods === undefined) {
    return [];
  }
  const path = [...snapshot.ancestors, kubepods];
  let top: EffectiveProtection | undefined;
  let above: Node | undefined;
  for (const reading of path) {
    const node = nodeOf(reading, request);
    if (top === undefined || above === undefined) {
      top = { cgroup: node.cgroup, min: node.min, low: node.low };
    } else {
      const siblings = [node, ...above.children.map((child) => nodeOf(child, request))];
      top = shares(above, top, siblings, request)[0] ?? top;
    }
    above = node;
  }
  const result: EffectiveProtection[] = [];
  if (top !== undefined && above !== undefined) {
    descend(above, top, request, result);
  }
  return result;
}

function descend(
  node: Node,
  effective: EffectiveProtection,
  request: EffectiveRequest,
  result: EffectiveProtection[],
): void {
  result.push(effective);
  if (node.children.length === 0) {
    return;
  }
  const children = node.children.map((child) => nodeOf(child, request));
  const protections = shares(node, effective, children, request);
  for (const [index, child] of children.entries()) {
    const own = protections[index];
    if (own !== undefined && child.isMeasured) {
      descend(child, own, request, result);
    }
  }
}

/** Both knobs, computed apart from each other. */
function shares(
  parent: Node,
  effective: EffectiveProtection,
  children: readonly Node[],
  request: EffectiveRequest,
): readonly EffectiveProtection[] {
  const recursive = request.recursive === true;
  const mins = effectiveOfChildren(
    { usage: parent.usage, effective: effective.min },
    children.map(({ usage, min }) => ({ usage, value: min })),
    recursive,
  );
  const lows = effectiveOfChildren(
    { usage: parent.usage, effective: effective.low },
    children.map(({ usage, low }) => ({ usage, value: low })),
    recursive,
  );
  return children.map(({ cgroup }, index) => ({ cgroup, min: mins[index] ?? 0n, low: lows[index] ?? 0n }));
}

function nodeOf(reading: CgroupReading, request: EffectiveRequest): Node {
  const { cgroup, children } = reading;
  return {
    cgroup,
    usage: reading.currentBytes ?? 0n,
    isMeasured: reading.currentBytes !== undefined,
    min: bytesOf(request.planned(cgroup, 'memory.min') ?? reading.min, request.pageSizeBytes),
    low: bytesOf(request.planned(cgroup, 'memory.low') ?? reading.low, request.pageSizeBytes),
    children,
  };
}

function bytesOf(limit: Limit | undefined, pageSizeBytes: number): bigint {
  return limit === 'max' ? greatestLimitBytes(pageSizeBytes) : (limit ?? 0n);
}
