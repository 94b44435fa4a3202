import type { ApiServer } from './api-server.ts';
import { type ApiCall, sendJson, sendStatus } from './calls.ts';
import { mergePatched, strategicallyPatched } from './merge-patch.ts';
import type { ApiObject } from './objects.ts';
import { notFound } from './reading.ts';

/** PATCH of a Node and of its status: each changes only its own part, and a resourceVersion in a patch has to be the one of now. */
export class NodePatches {
  /** Called before a patch is taken: somebody else may be faster. */
  onPatch: () => void = () => undefined;
  readonly #server: ApiServer;

  constructor(server: ApiServer) {
    this.#server = server;
    server.route((call) => this.#route(call));
  }

  #route(call: ApiCall): boolean {
    const { verb, resource, subresource, name = '' } = call.info;
    if (verb !== 'patch' || resource !== 'nodes') return false;
    this.onPatch();
    const node = this.#server.store.get('nodes', name);
    if (node === undefined) sendStatus(call.response, notFound('nodes', name));
    else this.#patch(call, node, subresource);
    return true;
  }

  #patch({ response, body, headers }: ApiCall, node: ApiObject, subresource: string | undefined): void {
    const { name, resourceVersion } = node.metadata;
    const wanted = (body as Partial<ApiObject>).metadata?.resourceVersion;
    if (wanted !== undefined && wanted !== resourceVersion) {
      const message = `Operation cannot be fulfilled on nodes "${name}": the object has been modified; please apply your changes to the latest version and try again`;
      sendStatus(response, { code: 409, reason: 'Conflict', message, details: { name, kind: 'nodes' } });
      return;
    }
    const isStrategic = headers['content-type'] === 'application/strategic-merge-patch+json';
    const patched = (isStrategic ? strategicallyPatched(node, body) : mergePatched(node, body)) as ApiObject;
    const part = subresource === 'status' ? 'status' : 'spec';
    sendJson(response, 200, this.#server.store.put('nodes', { ...node, [part]: patched[part] }));
  }
}
