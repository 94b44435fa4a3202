/** Settings of any shape as `key.path: value`, in the order of the keys. */
function flattened(value: unknown, path: string, into: Map<string, string>): void {
  if (value instanceof Map) {
    flattened(Object.fromEntries(value as ReadonlyMap<string, unknown>), path, into);
  } else if (Array.isArray(value) || typeof value !== 'object' || value === null) {
    into.set(path, printed(value));
  } else {
    for (const [key, inner] of Object.entries(value)) {
      flattened(inner, path === '' ? key : `${path}.${key}`, into);
    }
  }
}

function printed(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === 'bigint') return Number(inner);
    return inner instanceof Map ? Object.fromEntries(inner as ReadonlyMap<string, unknown>) : inner;
  });
}

/**
 * What changed between two effective settings, one line a setting, sorted: `loop.intervalMs: 1000 -> 500`; a setting that
 * came or went is shown as `none` on the other side. For people: what a reload did.
 */
export function settingsDiff(before: object, after: object): readonly string[] {
  const [old, fresh] = [before, after].map((settings) => {
    const lines = new Map<string, string>();
    flattened(settings, '', lines);
    return lines;
  });
  const keys = [...new Set([...(old?.keys() ?? []), ...(fresh?.keys() ?? [])])].sort();
  return keys
    .filter((key) => old?.get(key) !== fresh?.get(key))
    .map((key) => `${key}: ${old?.get(key) ?? 'none'} -> ${fresh?.get(key) ?? 'none'}`);
}
