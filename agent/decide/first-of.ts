/** The most names that a sentence lists; more of them would hide it. */
const MOST_NAMES = 5;

/** Names for a sentence, in their order: the first five, and how many more there are. */
export function firstOf(names: readonly string[]): string {
  const left = names.length - MOST_NAMES;
  return left > 0 ? `${names.slice(0, MOST_NAMES).join(', ')} and ${left} more` : names.join(', ');
}
