import { byNumber, byText, orderedBy } from './ordered-by.ts';

/**
 * Up to `count` names that somebody may have meant by `wanted`, the nearest first: those that differ in few letters for their
 * length, and those that contain it. Ties go by name.
 */
export function nearNames(wanted: string, names: readonly string[], count = 3): readonly string[] {
  const allowed = Math.max(2, Math.floor(wanted.length / 3));
  const lastPart = wanted.slice(wanted.indexOf('/') + 1);
  return [...new Set(names)]
    .map((name) => ({
      name,
      distance: lastPart !== '' && name.includes(lastPart) ? 0 : editDistance(wanted, name),
    }))
    .filter(({ distance }) => distance <= allowed)
    .toSorted(
      orderedBy<{ name: string; distance: number }>(
        byNumber((one) => one.distance),
        byText((one) => one.name),
      ),
    )
    .slice(0, count)
    .map(({ name }) => name);
}

/** Letters to add, drop or change to make one text the other (Levenshtein). */
export function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const substitution = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
