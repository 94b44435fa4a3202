import { parseQuantity, quantityToInteger } from '../../../config/numbers/quantity.ts';
import { EXIT, Failure } from '../../exit.ts';
import type { NodeObject } from '../../model/node.ts';
import type { CapturedTexts } from '../../observe/captured/captured-inputs.ts';
import { DEFAULT_PAGE_SIZE_BYTES, type MachineObservation, observeMachine } from '../../observe/machine.ts';
import { readNodeFile, readNodeText } from '../../observe/node-object.ts';
import type { NodeRoot } from '../../observe/root.ts';

/** What the command line says of the machine. */
export interface MachineArguments {
  readonly node?: string | undefined;
  readonly memoryCapacity?: string | undefined;
  readonly pageSize?: string | undefined;
}

/** The Node of the command line, else the captured one. Throws Failure 65, 66 and 77. */
export function nodeObjectOf(
  args: MachineArguments,
  captured: CapturedTexts | undefined,
): NodeObject | undefined {
  if (args.node !== undefined) return readNodeFile(args.node);
  return captured?.node === undefined ? undefined : readNodeText(captured.node);
}

/** The machine as it is seen, with what the command line, a capture's command line or a Node say instead. Throws Failure 64. */
export function machineOf(
  args: MachineArguments,
  root: NodeRoot | undefined,
  nodeObject: NodeObject | undefined,
  captured: CapturedTexts | undefined,
): MachineObservation {
  const seen: MachineObservation =
    root === undefined ? { pageSizeBytes: DEFAULT_PAGE_SIZE_BYTES, warnings: [] } : observeMachine(root);
  const { memoryCapacityBytes, ...rest } = seen;
  const capacity = statedCapacityBytes(args, nodeObject, captured) ?? memoryCapacityBytes;
  return {
    ...rest,
    // No machine has 0 bytes: a file that says so does not know.
    ...(capacity === undefined || capacity <= 0n ? {} : { memoryCapacityBytes: capacity }),
    ...(args.pageSize === undefined ? {} : { pageSizeBytes: pageSizeOf(args.pageSize), warnings: [] }),
  };
}

/** What is given now wins over what a capture was given; in each, a capacity wins over a Node. */
function statedCapacityBytes(
  args: MachineArguments,
  nodeObject: NodeObject | undefined,
  captured: CapturedTexts | undefined,
): bigint | undefined {
  if (args.memoryCapacity !== undefined) return capacityOf(args.memoryCapacity);
  const given = args.node === undefined ? undefined : nodeObject?.memoryCapacityBytes;
  return given ?? captured?.memoryCapacityBytes ?? nodeObject?.memoryCapacityBytes;
}

/** `--memory-capacity` in bytes. Throws Failure 64. */
export function capacityOf(text: string): bigint {
  const quantity = parseQuantity(text);
  if (!quantity.ok) throw new Failure(EXIT.usage, `--memory-capacity ${text}: ${quantity.message}`);
  const bytes = quantityToInteger(quantity.value);
  if (bytes <= 0n)
    throw new Failure(EXIT.usage, `--memory-capacity ${text}: a capacity is above 0, such as 16Gi`);
  return bytes;
}

function pageSizeOf(text: string): number {
  const bytes = /^[0-9]{1,9}$/.test(text) ? Number(text) : 0;
  const isPowerOfTwo = bytes > 0 && (bytes & (bytes - 1)) === 0;
  if (isPowerOfTwo && bytes >= 1024) return bytes;
  throw new Failure(
    EXIT.usage,
    `--page-size ${text}: give a power of two in bytes, such as 4096, 16384 or 65536`,
  );
}
