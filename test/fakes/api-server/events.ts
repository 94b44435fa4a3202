import type { ApiServer } from './api-server.ts';
import { type ApiCall, sendJson, sendStatus } from './calls.ts';
import { mergePatched } from './merge-patch.ts';
import type { ApiObject } from './objects.ts';
import { notFound } from './reading.ts';

/** POST and PATCH of Events, with what an API server asks of one. */
export class EventWrites {
  readonly #server: ApiServer;

  constructor(server: ApiServer) {
    this.#server = server;
    server.route((call) => this.#route(call));
  }

  #route(call: ApiCall): boolean {
    const { verb, resource } = call.info;
    if (resource !== 'events') return false;
    if (verb === 'create') this.#create(call);
    else if (verb === 'patch') this.#patch(call);
    else return false;
    return true;
  }

  #create({ response, body, info }: ApiCall): void {
    const event = body as ApiObject;
    const { name } = event.metadata;
    const { namespace } = info;
    const of = (event['involvedObject'] as { readonly namespace?: string }).namespace;
    // ValidateEvent: an Event is where its object is; that of an object without a namespace is in `default`.
    if (event.metadata.namespace !== namespace || (of ?? 'default') !== namespace) {
      const message = `Event "${name}" is invalid: involvedObject.namespace: does not match event.namespace`;
      sendStatus(response, { code: 422, reason: 'Invalid', message });
    } else if (!isName(name)) {
      const message = `Event "${name}" is invalid: metadata.name: a lowercase RFC 1123 subdomain is needed`;
      sendStatus(response, { code: 422, reason: 'Invalid', message });
    } else if (this.#server.store.get('events', name, namespace) !== undefined) {
      const message = `events "${name}" already exists`;
      sendStatus(response, { code: 409, reason: 'AlreadyExists', message });
    } else {
      sendJson(response, 201, this.#server.store.put('events', event));
    }
  }

  #patch({ response, body, info }: ApiCall): void {
    const { name = '', namespace } = info;
    const event = this.#server.store.get('events', name, namespace);
    if (event === undefined) sendStatus(response, notFound('events', name));
    else sendJson(response, 200, this.#server.store.put('events', mergePatched(event, body) as ApiObject));
  }
}

function isName(name: string): boolean {
  const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
  return name.length <= 253 && new RegExp(`^${label}(\\.${label})*$`).test(name);
}
