import { type ApiCall, type StatusAnswer, sendJson, sendStatus } from './calls.ts';
import type { ObjectStore } from './object-store.ts';
import { type ApiObject, fieldSelector, RESOURCE_KINDS } from './objects.ts';
import { OpenWatch } from './open-watch.ts';

/** How an API server tells that it has forgotten the changes that a watch begins with: both are seen. */
export type ExpiredAs = 'event' | 'status';

const TOO_OLD = 'The resourceVersion for the provided watch is too old.';
const CONTINUE_TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You must start a new list without the continue parameter.';

/** What a list shows, from one of its objects on. */
interface ListMoment {
  readonly revision: number;
  readonly items: readonly ApiObject[];
}

/** GET of one object, of a list with its pages, and of a watch. */
export class Reading {
  /** The watches that are open. */
  readonly watches = new Set<OpenWatch>();
  expiredAs: ExpiredAs = 'event';
  readonly #store: ObjectStore;
  /** The rest of a list by the token that continues it: a page shows the moment of the first one. */
  readonly #rests = new Map<string, ListMoment>();

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** Tokens of lists that have begun are no longer good. */
  forgetLists(): void {
    this.#rests.clear();
  }

  route(call: ApiCall): boolean {
    const { verb, resource, subresource, name, namespace } = call.info;
    if (subresource !== undefined) return false;
    switch (verb) {
      case 'get':
        this.#get(call, this.#store.get(resource, name ?? '', namespace));
        return true;
      case 'list':
        this.#list(call);
        return true;
      case 'watch':
        this.#watch(call);
        return true;
      default:
        return false;
    }
  }

  #get({ response, info }: ApiCall, object: ApiObject | undefined): void {
    if (object === undefined) {
      sendStatus(response, notFound(info.resource, info.name ?? ''));
    } else {
      sendJson(response, 200, object);
    }
  }

  #list(call: ApiCall): void {
    const { query, response, info } = call;
    const wanted = query['resourceVersion'] ?? '';
    if (wanted !== '' && Number(wanted) > this.#store.revision) {
      sendStatus(response, tooLarge(wanted, this.#store.revision));
      return;
    }
    const page = this.#page(call);
    if (page === undefined) {
      sendStatus(response, { code: 410, reason: 'Expired', message: CONTINUE_TOO_OLD });
      return;
    }
    sendJson(
      response,
      200,
      this.#listOf(info.resource, page, wanted === '0' ? 0 : Number(query['limit'] ?? '0')),
    );
  }

  /** A page of at most `limit` objects; 0: all. A list from the server's memory comes whole, whatever was asked. */
  #listOf(resource: string, page: ListMoment, limit: number): object {
    const items = limit === 0 ? page.items : page.items.slice(0, limit);
    const rest = page.items.slice(items.length);
    const token = rest.length === 0 ? undefined : `page-${this.#rests.size + 1}`;
    if (token !== undefined) this.#rests.set(token, { revision: page.revision, items: rest });
    const kind = RESOURCE_KINDS.find(({ plural }) => plural === resource);
    return {
      kind: `${kind?.kind ?? ''}List`,
      apiVersion: kind?.apiVersion ?? 'v1',
      metadata: {
        resourceVersion: String(page.revision),
        ...(token === undefined ? {} : { continue: token, remainingItemCount: rest.length }),
      },
      items: items.map(withoutKind),
    };
  }

  #page(call: ApiCall): ListMoment | undefined {
    const token = call.query['continue'];
    if (token !== undefined && token !== '') return this.#rests.get(token);
    const selects = selectionOf(call);
    return { revision: this.#store.revision, items: this.#store.all(call.info.resource).filter(selects) };
  }

  #watch(call: ApiCall): void {
    const { query, info } = call;
    const from = query['resourceVersion'] ?? '';
    const isFromNow = from === '' || from === '0';
    const changes = isFromNow ? [] : this.#store.changesAfter(Number(from));
    if (changes === undefined && this.expiredAs === 'status') {
      sendStatus(call.response, { code: 410, reason: 'Expired', message: TOO_OLD });
      return;
    }
    const selects = selectionOf(call);
    const bookmarks = query['allowWatchBookmarks'] === 'true';
    const watch = new OpenWatch(call, { resource: info.resource, selects, bookmarks }, this.#store);
    if (changes === undefined) {
      watch.fail(410, 'Expired', TOO_OLD);
      return;
    }
    this.#keep(watch);
    if (isFromNow) {
      for (const object of this.#store.all(info.resource).filter(selects)) watch.tellAdded(object);
    }
    for (const change of changes) {
      if (change.resource === info.resource) watch.tell(change);
    }
  }

  /** Until it is closed, or its time is up, which a last bookmark precedes. */
  #keep(watch: OpenWatch): void {
    const { response, query } = watch.call;
    this.watches.add(watch);
    const timer = setTimeout(
      () => {
        watch.bookmark();
        watch.end();
      },
      Number(query['timeoutSeconds'] ?? '1800') * 1000,
    );
    response.once('close', () => {
      clearTimeout(timer);
      this.watches.delete(watch);
    });
  }
}

/** The object that a path names is not there. */
export function notFound(resource: string, name: string): StatusAnswer {
  const message = `${resource} "${name}" not found`;
  return { code: 404, reason: 'NotFound', message, details: { name, kind: resource } };
}

/** The items of a list do not say what they are. */
function withoutKind(object: ApiObject): ApiObject {
  return Object.fromEntries(
    Object.entries(object).filter(([field]) => field !== 'kind' && field !== 'apiVersion'),
  ) as unknown as ApiObject;
}

function tooLarge(wanted: string, current: number): StatusAnswer {
  const message = `Too large resource version: ${wanted}, current: ${current}`;
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
  return { code: 504, reason: 'Timeout', message, retryAfterSeconds: 1, details: { causes } };
}

function selectionOf({ query, info }: ApiCall): (object: ApiObject) => boolean {
  const matches = fieldSelector(query['fieldSelector'] ?? '');
  const { namespace } = info;
  return (object) => (namespace === undefined || object.metadata.namespace === namespace) && matches(object);
}
