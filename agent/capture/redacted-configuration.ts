import type { Document, Node } from 'yaml';
import { isNode, isScalar, parseAllDocuments, visit } from 'yaml';

/** The one field of a KubeletConfiguration whose values are secrets: headers, such as a token, sent for static pods. */
const SECRET_KEY = 'staticPodURLHeader';
const REPLACEMENT = '"redacted"';

/**
 * A KubeletConfiguration without its secrets: every value below staticPodURLHeader is replaced, the rest stays as it is,
 * letter by letter, so that lines and columns in messages stay those of the node. A text that is no YAML at all gives
 * undefined where it mentions the field, since then nobody can say what belongs to it.
 */
export function redactedConfiguration(text: string): string | undefined {
  if (!text.toLowerCase().includes(SECRET_KEY.toLowerCase()) && !text.includes('\\')) {
    return text;
  }
  const documents = parseAllDocuments(text, {
    uniqueKeys: false,
    keepSourceTokens: false,
    logLevel: 'silent',
  });
  const ranges: (readonly [number, number])[] = [];
  for (const document of documents) {
    if (document.errors.length > 0) {
      return undefined;
    }
    ranges.push(...secretRanges(document));
  }
  ranges.sort(([a], [b]) => b - a);
  let redacted = text;
  for (const [start, end] of new Map(ranges)) {
    redacted = redacted.slice(0, start) + replacementOf(redacted.slice(start, end)) + redacted.slice(end);
  }
  return redacted;
}

/** The places of the secret values in the text, those that an alias stands for included. */
function secretRanges(document: Document): readonly (readonly [number, number])[] {
  const ranges: (readonly [number, number])[] = [];
  const seen = new Set<Node>();
  const addScalars = (node: Node): void => {
    if (seen.has(node)) {
      return;
    }
    seen.add(node);
    visit(node, {
      Scalar: (key, scalar) => {
        const [start, end] = scalar.range ?? [0, 0];
        if (key !== 'key' && end > start) {
          ranges.push([start, end]);
        }
      },
      Alias: (_, alias) => {
        const source = alias.resolve(document);
        if (source !== undefined) {
          addScalars(source);
        }
      },
    });
  };
  visit(document, {
    Pair: (_, pair) => {
      const isSecret =
        isScalar(pair.key) && String(pair.key.value).toLowerCase() === SECRET_KEY.toLowerCase();
      if (isSecret && isNode(pair.value)) {
        addScalars(pair.value);
      }
    },
  });
  return ranges;
}

/** A value over several lines keeps its line breaks, so that what comes after it stays on its line. */
function replacementOf(value: string): string {
  return REPLACEMENT + '\n'.repeat(value.split('\n').length - 1);
}
