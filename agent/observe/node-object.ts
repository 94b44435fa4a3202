import type { PlainValue } from '../../config/plain-value.ts';
import type { Parsed } from '../../config/result.ts';
import type { NodeObject } from '../model/node.ts';

/** Reads a v1 Node as far as nodeqos needs it: name, memory, hugepages, taints, true conditions. */
export function readNodeObject(_value: PlainValue): Parsed<NodeObject> {
  throw new Error('not yet');
}

/** Reads a file given as --node; throws a Failure (65, 66, 77) that names it. */
export function readNodeFile(_path: string): NodeObject {
  throw new Error('not yet');
}
