import type { PreemptionPolicy, PriorityClass } from '../model/cluster.ts';
import { isDnsSubdomain } from './dns-subdomain.ts';

/** The highest value that is not reserved for the two system classes. */
export const HIGHEST_USER_PRIORITY = 1_000_000_000;

const SYSTEM_PREFIX = 'system-';

/** The classes that every cluster has. */
export const SYSTEM_CLASSES: readonly PriorityClass[] = [
  { name: 'system-cluster-critical', value: 2_000_000_000, globalDefault: false },
  { name: 'system-node-critical', value: 2_000_001_000, globalDefault: false },
];

/** What the API says to a class that it does not take: at which field, of which kind, and in a sentence. */
export interface PriorityClassRefusal {
  readonly field: 'metadata.name' | 'value' | 'globalDefault' | 'preemptionPolicy';
  readonly reason: 'Invalid' | 'Forbidden' | 'NotSupported';
  readonly message: string;
}

/**
 * Why the API would not create a class, or undefined where it would (ValidatePriorityClass). A name that begins with
 * system- is one of the two system classes, exactly as they are. There is no lowest value but that of 32 bits.
 */
export function priorityClassRefusal(candidate: PriorityClass): PriorityClassRefusal | undefined {
  return nameRefusal(candidate) ?? valueRefusal(candidate) ?? policyRefusal(candidate);
}

/** Why the API would not take `after` in the place of `before`: value and preemption policy stay what they are. */
export function priorityClassUpdateRefusal(
  before: PriorityClass,
  after: PriorityClass,
): PriorityClassRefusal | undefined {
  if (before.value !== after.value) {
    return refusal(
      'value',
      'Forbidden',
      'the value of a PriorityClass cannot be changed; make another class',
    );
  }
  return policyOf(before) === policyOf(after)
    ? priorityClassRefusal(after)
    : refusal(
        'preemptionPolicy',
        'Forbidden',
        'the preemption policy of a PriorityClass cannot be changed; make another class',
      );
}

/**
 * Why admission would not take a class as the global default beside the ones that exist: only one may be it. An update
 * of the default itself is no second one. Two can still come to be, when both are created at once.
 */
export function globalDefaultRefusal(
  candidate: PriorityClass,
  existing: readonly PriorityClass[],
): PriorityClassRefusal | undefined {
  const other = existing.find(({ name, globalDefault }) => globalDefault && name !== candidate.name);
  return !candidate.globalDefault || other === undefined
    ? undefined
    : refusal('globalDefault', 'Forbidden', `${other.name} is the global default already`);
}

/** The policy of a class: what is absent reads as PreemptLowerPriority. */
export function policyOf({ preemptionPolicy }: PriorityClass): PreemptionPolicy {
  return preemptionPolicy === 'Never' ? 'Never' : 'PreemptLowerPriority';
}

function refusal(
  field: PriorityClassRefusal['field'],
  reason: PriorityClassRefusal['reason'],
  message: string,
): PriorityClassRefusal {
  return { field, reason, message };
}

function nameRefusal({ name, value, globalDefault }: PriorityClass): PriorityClassRefusal | undefined {
  if (!isDnsSubdomain(name)) {
    const message = `${JSON.stringify(name)} is not a name: small letters, digits, - and . make one, at most 253 of them`;
    return refusal('metadata.name', 'Invalid', message);
  }
  if (!name.startsWith(SYSTEM_PREFIX)) return undefined;
  const known = SYSTEM_CLASSES.find((one) => one.name === name);
  if (known === undefined) {
    return refusal('metadata.name', 'Forbidden', `names that begin with ${SYSTEM_PREFIX} are reserved`);
  }
  return known.value === value && !globalDefault
    ? undefined
    : refusal(
        'metadata.name',
        'Forbidden',
        `${name} has the value ${known.value} and is no global default; no other class may have its name`,
      );
}

function valueRefusal({ name, value }: PriorityClass): PriorityClassRefusal | undefined {
  return name.startsWith(SYSTEM_PREFIX) || value <= HIGHEST_USER_PRIORITY
    ? undefined
    : refusal(
        'value',
        'Forbidden',
        `${value} is above ${HIGHEST_USER_PRIORITY}, the highest that users may give`,
      );
}

function policyRefusal({ preemptionPolicy }: PriorityClass): PriorityClassRefusal | undefined {
  return ['PreemptLowerPriority', 'Never', undefined].includes(preemptionPolicy)
    ? undefined
    : refusal(
        'preemptionPolicy',
        'NotSupported',
        `${JSON.stringify(preemptionPolicy)} is not a preemption policy; write PreemptLowerPriority or Never`,
      );
}
