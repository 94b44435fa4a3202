import type { TimedEvent } from '../../model/agent-event.ts';
import type { EventSink } from '../../ports.ts';
import { jsonText } from '../json-text.ts';
import { type Appended, appendLines, type RotatedFile } from './append-lines.ts';
import { auditRecord, lostRecord } from './audit-record.ts';

/** Why records cannot be written, said once per change; `over` when they can again. */
export interface AuditTrouble {
  readonly sentence: string;
  readonly over: boolean;
}

/** Records that wait for room on the disk: enough for an incident, and bounded, since a full disk can last. */
const MOST_WAITING = 4096;
const MOST_WAITING_BYTES = 4 << 20;

/**
 * The audit log: one JSON object a line, handed to the system before event() resolves. Where it cannot be written, records
 * wait and are tried again at each event and each tick; those that do not fit in the wait are counted in a record of kind
 * `lost`. It never fails the agent: what it cannot do it says through `onTrouble`.
 */
export function openAuditFile(
  target: RotatedFile,
  onTrouble: (trouble: AuditTrouble) => void,
): EventSink & { close(): Promise<void> } {
  const file = new AuditFile(target, onTrouble);
  return {
    name: 'audit',
    event: (timed) => file.add(timed),
    tick: () => {
      file.retry();
    },
    close: () => file.flush(),
  };
}

class AuditFile {
  readonly #target: RotatedFile;
  readonly #onTrouble: (trouble: AuditTrouble) => void;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #lost = 0;
  #lastLost: TimedEvent | undefined;
  #flushing: Promise<void> = Promise.resolve();
  #trouble: string | undefined;

  constructor(target: RotatedFile, onTrouble: (trouble: AuditTrouble) => void) {
    this.#target = target;
    this.#onTrouble = onTrouble;
  }

  add(timed: TimedEvent): Promise<void> {
    const line = `${jsonText(auditRecord(timed), 0)}\n`;
    if (this.#lost > 0 || !this.#hasRoomFor(line)) {
      // The first ones are kept: what is missing is then one gap, and the record that names it stands at its place.
      this.#lost += 1;
      this.#lastLost = timed;
    } else {
      this.#enqueue(line);
    }
    return this.flush();
  }

  retry(): void {
    if (this.#waiting.length > 0) void this.flush();
  }

  /** Writes what waits, after what is being written. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#write());
    return this.#flushing;
  }

  #hasRoomFor(line: string): boolean {
    return this.#waiting.length < MOST_WAITING && this.#waitingBytes + line.length <= MOST_WAITING_BYTES;
  }

  #enqueue(line: string): void {
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
  }

  async #write(): Promise<void> {
    if (this.#waiting.length === 0) return;
    const done = await appendLines(this.#target, this.#waiting);
    for (const line of this.#waiting.splice(0, done.written)) this.#waitingBytes -= line.length;
    if (this.#waiting.length === 0 && this.#lastLost !== undefined) {
      this.#enqueue(`${jsonText(lostRecord(this.#lastLost, this.#lost), 0)}\n`);
      this.#lost = 0;
      this.#lastLost = undefined;
      await this.#write();
      return;
    }
    this.#tell(sentenceOf(this.#target.file, done));
  }

  #tell(sentence: string | undefined): void {
    const before = this.#trouble;
    if (sentence === before) return;
    this.#trouble = sentence;
    if (sentence !== undefined) this.#onTrouble({ sentence, over: false });
    else if (before !== undefined) this.#onTrouble({ sentence: before, over: true });
  }
}

function sentenceOf(file: string, { failed, notRotated }: Appended): string | undefined {
  if (failed !== undefined) return `${file} cannot be written (${inWords(failed)}); records wait`;
  if (notRotated !== undefined) return `${file} cannot be put aside (${inWords(notRotated)}) and grows on`;
  return undefined;
}

function inWords(code: string): string {
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return 'no space left';
    case 'EROFS':
      return 'the filesystem is read-only';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'EISDIR':
      return 'it is a folder';
    case 'ENOENT':
      return 'its folder is not there and cannot be made';
    case 'ENOTDIR':
    case 'EEXIST':
      return 'a part of its path is no folder';
    case 'ENXIO':
    case 'EAGAIN':
      return 'nobody reads it';
    default:
      return code;
  }
}
