import type { ApiCall } from './calls.ts';
import { statusObject } from './calls.ts';
import type { ObjectStore, StoreChange } from './object-store.ts';
import { type ApiObject, RESOURCE_KINDS } from './objects.ts';

/** What a watch asks for. */
export interface WatchedObjects {
  readonly resource: string;
  readonly selects: (object: ApiObject) => boolean;
  readonly bookmarks: boolean;
}

/** A watch that has begun: one JSON object a line, each line a chunk of its own. Tests can spoil it. */
export class OpenWatch {
  readonly call: ApiCall;
  readonly #watched: WatchedObjects;
  readonly #store: ObjectStore;
  #isMuted = false;
  #cutsNext = false;

  constructor(call: ApiCall, watched: WatchedObjects, store: ObjectStore) {
    this.call = call;
    this.#watched = watched;
    this.#store = store;
    call.response.writeHead(200, { 'content-type': 'application/json' });
    call.response.flushHeaders();
    store.followers.add(this.#follow);
    call.response.once('close', () => store.followers.delete(this.#follow));
  }

  /** Tells a change, as far as it is one of what is watched: an object that comes to match is added, one that ceases to, deleted. */
  readonly #follow = (change: StoreChange): void => {
    if (change.resource === this.#watched.resource) this.tell(change);
  };

  tell({ object, before, revision }: StoreChange): void {
    const { selects } = this.#watched;
    const was = before !== undefined && selects(before);
    if (object !== undefined && selects(object)) {
      this.#write({ type: was ? 'MODIFIED' : 'ADDED', object });
    } else if (was) {
      const metadata = { ...before.metadata, resourceVersion: String(revision) };
      this.#write({ type: 'DELETED', object: { ...before, metadata } });
    }
  }

  /** Tells an object as if it had just come. */
  tellAdded(object: ApiObject): void {
    this.#write({ type: 'ADDED', object });
  }

  /** How far the watch has come, for one that asked to be told. */
  bookmark(): void {
    const kind = RESOURCE_KINDS.find(({ plural }) => plural === this.#watched.resource);
    if (!this.#watched.bookmarks || kind === undefined) return;
    const metadata = { resourceVersion: String(this.#store.revision), creationTimestamp: null };
    const object = { kind: kind.kind, apiVersion: kind.apiVersion, metadata, spec: { containers: null } };
    this.#write({ type: 'BOOKMARK', object: { ...object, status: {} } });
  }

  /** An ERROR event, after which a server closes the watch. */
  fail(code: number, reason: string, message: string): void {
    this.#write({ type: 'ERROR', object: statusObject({ code, reason, message }) });
    this.end();
  }

  /** Any text, as it is. */
  send(text: string): void {
    this.call.response.write(text);
  }

  /** Ends it as a server does whose time is up. */
  end(): void {
    this.call.response.end();
  }

  /** Breaks the connection off. */
  cut(): void {
    this.call.response.destroy();
  }

  /** Breaks the connection off in the middle of the next event. */
  cutInsideNext(): void {
    this.#cutsNext = true;
  }

  /** Tells nothing from now on, and does not end: what a network does that has lost the connection. */
  mute(): void {
    this.#isMuted = true;
  }

  #write(event: { readonly type: string; readonly object: unknown }): void {
    if (this.#isMuted) return;
    const line = Buffer.from(`${JSON.stringify(event)}\n`);
    if (!this.#cutsNext) {
      this.call.response.write(line);
      return;
    }
    this.#isMuted = true;
    // Broken off only when it is on its way, so that half of it arrives.
    this.call.response.write(line.subarray(0, line.length / 2), () => {
      this.cut();
    });
  }
}
