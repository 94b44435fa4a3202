import { byNumber, type Comparator, orderedBy, whereFirst } from '../../decide/ordered-by.ts';

/** The earliest start first; what has not started counts as started last. */
export function byStart<T>(startOf: (thing: T) => bigint | undefined): Comparator<T> {
  return orderedBy<T>(
    whereFirst((thing) => startOf(thing) !== undefined),
    byNumber((thing) => startOf(thing) ?? 0n),
  );
}
