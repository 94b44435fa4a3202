type Json = Readonly<Record<string, unknown>>;

/** RFC 7386: maps are merged, null deletes, everything else is replaced. */
export function mergePatched(value: unknown, patch: unknown): unknown {
  return isMap(patch) ? merged(value, patch, mergePatched) : patch;
}

/** A strategic merge patch, as far as it goes here: `conditions` are merged by their type, other lists are replaced. */
export function strategicallyPatched(value: unknown, patch: unknown, field = ''): unknown {
  if (field === 'conditions' && Array.isArray(patch)) {
    return patch.reduce<readonly Json[]>(mergedCondition, Array.isArray(value) ? (value as Json[]) : []);
  }
  return isMap(patch) ? merged(value, patch, strategicallyPatched) : patch;
}

function merged(
  value: unknown,
  patch: Json,
  patched: (value: unknown, patch: unknown, field: string) => unknown,
): Json {
  const before = isMap(value) ? value : {};
  const changed = Object.entries(patch).map(([key, part]) => [key, patched(before[key], part, key)] as const);
  const all = { ...before, ...Object.fromEntries(changed) };
  return Object.fromEntries(Object.entries(all).filter(([, part]) => part !== null));
}

function mergedCondition(conditions: readonly Json[], patch: Json): readonly Json[] {
  const { type, $patch: directive } = patch;
  if (directive === 'delete') return conditions.filter((one) => one['type'] !== type);
  const isThere = conditions.some((one) => one['type'] === type);
  return isThere
    ? conditions.map((one) => (one['type'] === type ? { ...one, ...patch } : one))
    : [...conditions, patch];
}

function isMap(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
