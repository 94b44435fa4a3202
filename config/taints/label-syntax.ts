const LONGEST_NAME = 63;
const LONGEST_PREFIX = 253;
/** Letters and digits, with dashes, underscores and dots between them. */
const NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/**
 * What is wrong with the key of a label or a taint, as the end of a sentence, or undefined where it is good: a name of at
 * most 63 characters, with a DNS subdomain and a slash before it if wanted (API conventions: qualified name).
 */
export function qualifiedNameFault(text: string): string | undefined {
  const parts = text.split('/');
  if (parts.length > 2) return 'a key has at most one slash';
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? parts[0] : undefined;
  if (prefix !== undefined && (prefix.length > LONGEST_PREFIX || !SUBDOMAIN.test(prefix))) {
    return `what stands before the slash of a key is a DNS name in small letters, of at most ${LONGEST_PREFIX} characters`;
  }
  return name.length > LONGEST_NAME || !NAME.test(name)
    ? `a key is 1 to ${LONGEST_NAME} letters, digits, dashes, underscores and dots, and begins and ends with a letter or digit`
    : undefined;
}

/** What is wrong with the value of a label or a taint, or undefined where it is good; it may be empty. */
export function labelValueFault(text: string): string | undefined {
  return text.length > LONGEST_NAME || (text !== '' && !NAME.test(text))
    ? `a value is at most ${LONGEST_NAME} letters, digits, dashes, underscores and dots, and begins and ends with a letter or digit`
    : undefined;
}
