/**
 * A sentence of somebody else with clauses of nodeqos' own behind it. Some end with a full stop, such as those of the kubelet
 * and of an API server, and some with a blank after it; the end of what is said comes behind the last clause only.
 */
export function withClauses(sentence: string, clauses: readonly string[]): string {
  return clauses.length === 0 ? sentence : [unended(sentence), ...clauses].join('; ');
}

/** A sentence without its full stop, for what goes on behind it. */
export function unended(sentence: string): string {
  return sentence.replace(/(?<!\.)\.?\s*$/, '');
}
