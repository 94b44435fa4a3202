import { readFileSync } from 'node:fs';
import { failureOf, replaceDurably } from '../../../cgroup/disk/durable-file.ts';
import { makeStateFolder } from '../../../cgroup/disk/state-folder.ts';
import { errorCode, failureSentence } from '../../../cgroup/disk/system-error.ts';
import type { PendingRelease } from '../../model/eviction.ts';
import { parsePending, printPending } from './pending-record.ts';

/** What a former run left. `trouble`: its file could not be used, so that evictions of it may not be known. */
export interface PendingRead {
  readonly pending: readonly PendingRelease[];
  readonly trouble?: string;
}

const SCHEMA_VERSION = 1;

/** The file of pending evictions in a state folder. */
export function pendingPath(stateFolder: string): string {
  return `${stateFolder}/pending.json`;
}

/**
 * The evictions that were begun and not seen to end, on disk: an agent that is killed and started again does not take a
 * second victim for the same shortage. The file is replaced in one step and is durable before a process is signalled. It is
 * bound to the boot, since pods and monotonic times end with it.
 */
export class PendingFile {
  readonly #folder: string;
  readonly #bootId: string | null;
  #saved = '';
  #queue: Promise<unknown> = Promise.resolve();

  constructor(stateFolder: string, bootId: string | null) {
    this.#folder = stateFolder;
    this.#bootId = bootId;
  }

  /** What a former run of this boot left. Changes nothing. A damaged file counts as none, and `trouble` says so. */
  read(): PendingRead {
    const path = pendingPath(this.#folder);
    let text: string;
    try {
      text = readFileSync(path, 'utf8');
    } catch (error) {
      const code = errorCode(error);
      return code === 'ENOENT' ? { pending: [] } : { pending: [], trouble: failureSentence(path, code) };
    }
    const content = parseContent(text);
    if (typeof content === 'string') {
      return { pending: [], trouble: `${path} ${content}; evictions that it held are not waited for` };
    }
    return { pending: content.bootId === this.#bootId ? content.pending : [] };
  }

  /** Replaces the file, durably, when what it holds has changed; calls are done in order. Gives a sentence on failure. */
  save(pending: readonly PendingRelease[]): Promise<string | undefined> {
    const saved = this.#queue.then(() => this.#replace(pending));
    this.#queue = saved;
    return saved;
  }

  async #replace(pending: readonly PendingRelease[]): Promise<string | undefined> {
    const content = {
      schemaVersion: SCHEMA_VERSION,
      bootId: this.#bootId,
      pending: pending.map(printPending),
    };
    const text = `${JSON.stringify(content)}\n`;
    if (text === this.#saved) {
      return undefined;
    }
    const path = pendingPath(this.#folder);
    const failure =
      makeStateFolder(this.#folder) ??
      (await failureOf(path, async () => {
        await replaceDurably(this.#folder, path, text);
      }));
    this.#saved = failure === undefined ? text : '';
    return failure?.message;
  }
}

interface Content {
  readonly bootId: unknown;
  readonly pending: readonly PendingRelease[];
}

/** Gives the content, or what is wrong with the file as the end of a sentence. */
function parseContent(text: string): Content | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'is damaged';
  }
  if (typeof value !== 'object' || value === null || !('pending' in value) || !Array.isArray(value.pending)) {
    return 'is damaged';
  }
  const { schemaVersion, bootId } = value as { readonly schemaVersion?: unknown; readonly bootId?: unknown };
  if (schemaVersion !== SCHEMA_VERSION) {
    return 'is of another version of nodeqos';
  }
  const pending = value.pending.map(parsePending);
  const whole = pending.filter((release) => release !== undefined);
  return whole.length === pending.length ? { bootId, pending: whole } : 'is damaged';
}
