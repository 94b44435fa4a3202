import type { ApiServer } from './api-server.ts';
import { type ApiCall, sendJson, sendStatus } from './calls.ts';
import type { ApiObject } from './objects.ts';
import { notFound } from './reading.ts';

/** A budget, as the eviction subresource looks at it. */
export interface Budget {
  readonly name: string;
  /** How many of its pods have to be healthy. */
  readonly needed: number;
  healthy: number;
  /** The namespaced names of the pods that it covers. */
  readonly pods: readonly string[];
}

/** What somebody wished to go, as the server took it. */
export interface ToldPod {
  readonly pod: string;
  readonly uid: string;
  readonly way: 'evicted' | 'deleted';
  readonly gracePeriodSeconds: number | undefined;
}

interface Options {
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string };
}

/**
 * POST pods/NAME/eviction and DELETE pods/NAME, as an API server does them: budgets, preconditions, a deletionTimestamp, and a
 * kubelet that ends the pod some time later, or does not.
 */
export class Evictions {
  readonly budgets: Budget[] = [];
  readonly told: ToldPod[] = [];
  /** How long a kubelet takes to end a pod; undefined: it does not answer. */
  kubeletMs: number | undefined = 20;
  readonly #server: ApiServer;

  constructor(server: ApiServer) {
    this.#server = server;
    server.route((call) => this.#route(call));
  }

  /** Ends a pod, as a kubelet does that has heard of its deletion; finalizers keep the object. */
  end(namespace: string, name: string, uid: string): void {
    const pod = this.#server.store.get('pods', name, namespace);
    if (pod?.metadata.uid !== uid) return;
    const finalizers = pod.metadata['finalizers'];
    if (Array.isArray(finalizers) && finalizers.length > 0) return;
    this.#server.store.remove('pods', name, namespace);
  }

  #route(call: ApiCall): boolean {
    const { verb, resource, subresource } = call.info;
    if (resource !== 'pods') return false;
    if (verb === 'create' && subresource === 'eviction') {
      const { deleteOptions } = call.body as { readonly deleteOptions?: Options };
      this.#take(call, deleteOptions ?? {}, 'evicted');
      return true;
    }
    if (verb === 'delete' && subresource === undefined) {
      this.#take(call, call.body ?? {}, 'deleted');
      return true;
    }
    return false;
  }

  #take(call: ApiCall, options: Options, way: ToldPod['way']): void {
    const { response } = call;
    const { name = '', namespace = '' } = call.info;
    const pod = this.#server.store.get('pods', name, namespace);
    if (pod === undefined) {
      sendStatus(response, notFound('pods', name));
      return;
    }
    const uid = pod.metadata.uid ?? '';
    const wanted = options.preconditions?.uid;
    if (wanted !== undefined && wanted !== uid) {
      const message = `Operation cannot be fulfilled on pods "${name}": Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${uid}`;
      sendStatus(response, { code: 409, reason: 'Conflict', message, details: { name, kind: 'pods' } });
      return;
    }
    const key = `${namespace}/${name}`;
    if (way === 'evicted' && this.#isRefused(call, key)) return;
    this.told.push({ pod: key, uid, way, gracePeriodSeconds: options.gracePeriodSeconds });
    const told = this.#mark(pod, options.gracePeriodSeconds ?? 30);
    if (way === 'evicted') sendJson(response, 201, { kind: 'Status', apiVersion: 'v1', status: 'Success' });
    else sendJson(response, 200, told);
  }

  #mark(pod: ApiObject, seconds: number): ApiObject {
    const { name, namespace = '', uid = '' } = pod.metadata;
    const deletionTimestamp = '2026-01-01T00:01:00Z';
    const metadata = { ...pod.metadata, deletionTimestamp, deletionGracePeriodSeconds: seconds };
    if (seconds === 0) {
      this.end(namespace, name, uid);
    } else if (this.kubeletMs !== undefined) {
      setTimeout(() => {
        this.end(namespace, name, uid);
      }, this.kubeletMs);
    }
    return this.#server.store.get('pods', name, namespace) === undefined
      ? pod
      : this.#server.store.put('pods', { ...pod, metadata });
  }

  #isRefused({ response }: ApiCall, key: string): boolean {
    const covering = this.budgets.filter(({ pods }) => pods.includes(key));
    const [budget, second] = covering;
    if (second !== undefined) {
      const message =
        'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
      sendStatus(response, { code: 500, reason: 'InternalError', message });
      return true;
    }
    if (budget === undefined) return false;
    const { name, needed, healthy } = budget;
    if (healthy > needed) {
      budget.healthy -= 1;
      return false;
    }
    const cause = {
      reason: 'DisruptionBudget',
      message: `The disruption budget ${name} needs ${needed} healthy pods and has ${healthy} currently`,
    };
    const message = "Cannot evict pod as it would violate the pod's disruption budget.";
    const details = { causes: [cause] };
    sendStatus(response, { code: 429, reason: 'TooManyRequests', message, details });
    return true;
  }
}
