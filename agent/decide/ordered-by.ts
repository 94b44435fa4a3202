import { compareBytewise } from '../../cgroup/byte-order.ts';

/** Negative: `a` goes first; positive: `b` does; 0: the next comparator decides. */
export type Comparator<T> = (a: T, b: T) => number;

/** One order out of several: the first comparator that tells two things apart decides. */
export function orderedBy<T>(...comparators: readonly Comparator<T>[]): Comparator<T> {
  return (a, b) => {
    for (const compare of comparators) {
      const order = compare(a, b);
      if (order !== 0) return order;
    }
    return 0;
  };
}

/** Smaller numbers first, exact for bigint. */
export function byNumber<T>(key: (thing: T) => bigint | number): Comparator<T> {
  return (a, b) => {
    const left = key(a);
    const right = key(b);
    if (left === right) return 0;
    return left < right ? -1 : 1;
  };
}

/** Text by its UTF-8 bytes: the same on every machine, whatever its locale. */
export function byText<T>(key: (thing: T) => string): Comparator<T> {
  return (a, b) => compareBytewise(key(a), key(b));
}

/** Things for which `holds` is true go first. */
export function whereFirst<T>(holds: (thing: T) => boolean): Comparator<T> {
  return (a, b) => Number(holds(b)) - Number(holds(a));
}

/** The other way round. */
export function reversed<T>(compare: Comparator<T>): Comparator<T> {
  return (a, b) => compare(b, a);
}
