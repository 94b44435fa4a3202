import {
  asInteger,
  isList,
  isRecord,
  type PlainValue,
  typeName,
  valueAt,
} from '../../../config/text/plain-value.ts';

/** What a part of the summary has to be: a whole number, a text, a list of something, or a map with these keys. */
type Shape =
  | 'integer'
  | 'text'
  | { readonly listOf: Shape }
  | { readonly keys: Readonly<Record<string, Shape>> };

const MEMORY: Shape = { keys: { time: 'text', availableBytes: 'integer', workingSetBytes: 'integer' } };
const FILESYSTEM: Shape = {
  keys: {
    time: 'text',
    availableBytes: 'integer',
    capacityBytes: 'integer',
    usedBytes: 'integer',
    inodes: 'integer',
    inodesFree: 'integer',
    inodesUsed: 'integer',
  },
};
const USED: Shape = { keys: { name: 'text', usedBytes: 'integer', inodesUsed: 'integer' } };

/** As much of /stats/summary as is read here (kubelet: stats/v1alpha1). */
const SUMMARY: Shape = {
  keys: {
    node: {
      keys: {
        nodeName: 'text',
        memory: MEMORY,
        fs: FILESYSTEM,
        runtime: { keys: { imageFs: FILESYSTEM, containerFs: FILESYSTEM } },
        rlimit: { keys: { time: 'text', maxpid: 'integer', curproc: 'integer' } },
        systemContainers: { listOf: { keys: { name: 'text', memory: MEMORY } } },
      },
    },
    pods: {
      listOf: {
        keys: {
          podRef: { keys: { uid: 'text' } },
          memory: MEMORY,
          process_stats: { keys: { process_count: 'integer' } },
          'ephemeral-storage': USED,
          volume: { listOf: USED },
          containers: { listOf: { keys: { name: 'text', memory: MEMORY, rootfs: USED, logs: USED } } },
        },
      },
    },
  },
};

/**
 * The sentence for what a summary has of another type than the kubelet writes, which is taken for nothing. What is not there,
 * or null, is missing and no junk. undefined: there is none.
 */
export function junkSentence(summary: PlainValue): string | undefined {
  const [first, ...others] = wrongTypes(summary, SUMMARY, '');
  if (first === undefined) return undefined;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return `${first}, so it is taken for nothing${more}; check who writes this summary`;
}

function wrongTypes(value: PlainValue | undefined, shape: Shape, at: string): readonly string[] {
  if (value === undefined || value === null) return [];
  if (shape === 'integer') return asInteger(value) === undefined ? [`${at} is ${notWhole(value)}`] : [];
  if (shape === 'text') return typeof value === 'string' ? [] : [`${at} is ${typeName(value)} and no text`];
  if ('listOf' in shape) {
    if (!isList(value)) return [`${at} is ${typeName(value)} and no list`];
    return value.flatMap((one, index) => wrongTypes(one, shape.listOf, `${at}[${index}]`));
  }
  if (!isRecord(value)) return [`${at} is ${typeName(value)} and no map`];
  return Object.entries(shape.keys).flatMap(([key, inside]) =>
    wrongTypes(valueAt(value, key), inside, at === '' ? key : `${at}.${key}`),
  );
}

function notWhole(value: PlainValue): string {
  return typeof value === 'number' ? 'a number that is not whole' : `${typeName(value)} and no whole number`;
}
