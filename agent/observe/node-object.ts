import { formatFinding, type TextFile } from '../../config/finding.ts';
import { type Quantity, quantityToInteger } from '../../config/numbers/quantity.ts';
import { type Parsed, parsed, refused } from '../../config/result.ts';
import { readDocuments } from '../../config/text/document.ts';
import { asList, asRecord, asString, type PlainValue, valueAt } from '../../config/text/plain-value.ts';
import { byText } from '../decide/ordered-by.ts';
import { EXIT, Failure } from '../exit.ts';
import type { NodeObject, ReportedCondition } from '../model/node.ts';
import { FieldFault, Fields } from './fields.ts';
import { readInputFile } from './input-file.ts';
import { isCordonUnlisted, readTaints } from './node-taints.ts';

/** Reads a file given as --node. Throws Failure 65, 66 or 77 that names it. */
export function readNodeFile(path: string): NodeObject {
  return readNodeText(readInputFile(path));
}

/** Reads the text of a Node in JSON or YAML; further documents are left alone. Throws Failure 65 that names the file. */
export function readNodeText(input: TextFile): NodeObject {
  const reading = readDocuments(input);
  if ('finding' in reading) throw new Failure(EXIT.badData, formatFinding(reading.finding));
  const [document] = reading.documents;
  if (document === undefined) {
    throw new Failure(
      EXIT.badData,
      `${input.file}: the file is empty; give a v1 Node (kubectl get node NAME -o yaml)`,
    );
  }
  const node = readNodeObject(document.value);
  if (!node.ok) throw new Failure(EXIT.badData, `${input.file}: ${node.message}`);
  return node.value;
}

/**
 * Reads a v1 Node, or a list that holds exactly one, as far as nodeqos needs it: name, memory, hugepages, what pods may
 * request, taints and conditions. A node that is unschedulable has the taint for it, whether it is listed or not.
 */
export function readNodeObject(value: PlainValue): Parsed<NodeObject> {
  const found = onlyNode(value);
  if (!found.ok) return found;
  try {
    return parsed(nodeOf(found.value));
  } catch (error) {
    if (error instanceof FieldFault) return refused(`${error.path.join('.')}: ${error.message}`);
    throw error;
  }
}

function onlyNode(value: PlainValue): Parsed<PlainValue> {
  const record = asRecord(value);
  const kind = asString(valueAt(record, 'kind'));
  if (kind === 'Node') return parsed(value);
  if (kind !== 'List' && kind !== 'NodeList') {
    return refused(`a v1 Node is wanted here, and this is ${kindText(kind)}`);
  }
  const items = asList(valueAt(record, 'items')) ?? [];
  const [only] = items;
  if (only === undefined || items.length > 1) {
    return refused(
      `the list holds ${items.length} objects, and one Node is wanted; give the one that is meant`,
    );
  }
  // Items of a NodeList need not say their kind.
  const itemKind = asString(valueAt(asRecord(only), 'kind')) ?? (kind === 'NodeList' ? 'Node' : undefined);
  return itemKind === 'Node'
    ? parsed(only)
    : refused(`a v1 Node is wanted here, and the list holds ${kindText(itemKind)}`);
}

function kindText(kind: string | undefined): string {
  return kind === undefined ? 'something without a kind' : `a ${kind}`;
}

function nodeOf(value: PlainValue): NodeObject {
  const node = new Fields(value);
  const name = node.map('metadata').text('name');
  if (name === undefined) throw new FieldFault(['metadata', 'name'], 'the node has no name');
  const status = node.map('status');
  const capacity = status.map('capacity').quantity('memory');
  const allocatable = status.map('allocatable').quantity('memory');
  const operatingSystem = status.map('nodeInfo').text('operatingSystem');
  const kubeletVersion = status.map('nodeInfo').text('kubeletVersion');
  return {
    name,
    labels: node.map('metadata').texts('labels'),
    ...(kubeletVersion === undefined ? {} : { kubeletVersion }),
    ...(capacity === undefined ? {} : { memoryCapacityBytes: quantityToInteger(capacity) }),
    ...(allocatable === undefined ? {} : { memoryAllocatableBytes: quantityToInteger(allocatable) }),
    hugepagesCapacityBytes: hugepages(status.quantities('capacity')),
    capacity: status.quantities('capacity'),
    ...(status.has('allocatable') ? { allocatable: status.quantities('allocatable') } : {}),
    taints: readTaints(node.map('spec')),
    isUnschedulable: node.map('spec').flag('unschedulable') === true,
    ...(isCordonUnlisted(node.map('spec')) ? { isCordonUnlisted: true } : {}),
    conditions: conditionsOf(status),
    ...(operatingSystem === undefined ? {} : { operatingSystem }),
    ...(status.map('features').flag('supplementalGroupsPolicy') === true
      ? { hasSupplementalGroupsPolicy: true }
      : {}),
  };
}

function hugepages(capacity: ReadonlyMap<string, Quantity>): bigint {
  return [...capacity]
    .filter(([resource]) => resource.startsWith('hugepages-'))
    .reduce((sum, [, quantity]) => sum + quantityToInteger(quantity), 0n);
}

function conditionsOf(status: Fields): readonly ReportedCondition[] {
  return status
    .maps('conditions')
    .map((condition) => ({ type: condition.text('type') ?? '', status: condition.text('status') ?? '' }))
    .toSorted(byText(({ type }) => type));
}
