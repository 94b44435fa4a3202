import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../../../agent/exit.ts';
import { systemClock } from '../../../../agent/observe/system-clock.ts';
import { apiClient } from '../../../../agent/peers/api/api-client.ts';
import { answerFailure } from '../../../../agent/peers/api/faults.ts';
import { ApiServer } from '../../../fakes/api-server/api-server.ts';
import { AGENT } from '../../../fakes/api-server/client-of.ts';
import { PodOfAgent } from '../../../fakes/api-server/pod-of-agent.ts';
import { CertificateAuthority } from '../../../fakes/certificates.ts';

let server: ApiServer;
let pod: PodOfAgent;
const { signal } = new AbortController();

beforeEach(async () => {
  server = new ApiServer();
  await server.start();
  pod = new PodOfAgent(server);
});

afterEach(async () => {
  await server.stop();
  pod.remove();
});

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => 'no failure',
    (error: unknown) => (error instanceof Failure ? { status: error.status, message: error.message } : error),
  );
}

function failure(status: number, message: string): unknown {
  return { status, message };
}

describe('what goes out', () => {
  it('is one request with the token, to the server and nobody else', async () => {
    server.store.put('nodes', { metadata: { name: 'n' } });
    const client = await pod.client();
    const answer = await client.request('GET', '/api/v1/nodes/n', { query: { pretty: 'false' } }, signal);
    expect(answer).toMatchObject({ status: 200, body: { kind: 'Node', metadata: { name: 'n' } } });
    expect(server.requests).toEqual([
      {
        method: 'GET',
        path: '/api/v1/nodes/n',
        query: { pretty: 'false' },
        headers: {
          accept: 'application/json',
          'accept-encoding': 'identity',
          authorization: 'Bearer first-token',
          connection: 'close',
          host: `127.0.0.1:${server.port}`,
          'user-agent': 'nodeqos',
        },
        body: undefined,
        user: AGENT,
      },
    ]);
  });

  it('takes a body along as JSON, with integers that a double does not hold', async () => {
    const client = await pod.client();
    const body = { spec: { bytes: 9_007_199_254_740_993n, text: 'ä' } };
    const answer = await client.request('POST', '/api/v1/nodes', { body }, signal);
    expect(answer.status).toBe(404);
    const patch = { body: { metadata: null }, contentType: 'application/merge-patch+json' };
    await client.request('PATCH', '/api/v1/nodes/n', patch, signal);
    expect(server.requests.map(({ method, headers }) => [method, headers['content-type']])).toEqual([
      ['POST', 'application/json'],
      ['PATCH', 'application/merge-patch+json'],
    ]);
    expect(server.requests[0]?.headers['content-length']).toBe('47');
    expect(server.requests[1]?.body).toEqual({ metadata: null });
  });

  it('does not go through a proxy of the environment', async () => {
    const proxies = {
      HTTPS_PROXY: 'http://127.0.0.1:9',
      https_proxy: 'http://127.0.0.1:9',
      NODE_USE_ENV_PROXY: '1',
    };
    const before = { ...process.env };
    Object.assign(process.env, proxies);
    try {
      const client = await pod.client();
      expect((await client.request('GET', '/api/v1/pods', {}, signal)).status).toBe(200);
    } finally {
      process.env = before;
    }
  });

  it('has its certificate checked whatever the environment says', async () => {
    pod.write('ca.crt', new CertificateAuthority('another').certificate);
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      const client = await pod.client();
      expect(await failureOf(client.request('GET', '/api/v1/pods', {}, signal))).toMatchObject({
        status: 77,
      });
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    }
    expect(server.requests).toEqual([]);
  });
});

describe('a token that rotates', () => {
  it('is read for the next request', async () => {
    const client = await pod.client();
    await client.request('GET', '/api/v1/pods', {}, signal);
    pod.token = 'second-token';
    server.tokens.delete('first-token');
    expect((await client.request('GET', '/api/v1/pods', {}, signal)).status).toBe(200);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer first-token',
      'Bearer second-token',
    ]);
  });

  it('is tried again where it was replaced while the server refused the old one', async () => {
    const client = await pod.client();
    server.tokens.delete('first-token');
    server.seen = () => {
      pod.token = 'second-token';
    };
    const answer = await client.request('GET', '/api/v1/pods', {}, signal);
    expect(answer.status).toBe(200);
    expect(server.requests.map(({ user }) => user)).toEqual([undefined, AGENT]);
  });

  it('is not tried again where it is still the same', async () => {
    const client = await pod.client();
    server.tokens.clear();
    const answer = await client.request('GET', '/api/v1/pods', {}, signal);
    expect(answer.status).toBe(401);
    expect(server.requests).toHaveLength(1);
    const asked = { client, verb: 'list', resource: 'pods' };
    const sentence = answerFailure(answer, asked).message;
    expect(sentence).toBe(
      `the API server at ${server.url} does not accept the token of ${pod.folder}/token; give nodeqos a service account, or one that its cluster has issued as api.kubeconfig`,
    );
  });
});

describe('what there is no answer to', () => {
  const asked = async (deadlineMs = 10_000): Promise<unknown> => {
    const client = await pod.client(deadlineMs);
    return await failureOf(client.request('GET', '/api/v1/pods', {}, signal));
  };

  it('nobody listens', async () => {
    await server.stop();
    expect(await asked()).toEqual(
      failure(
        69,
        `the API server at ${server.url} does not listen there; check the address, and whether it runs`,
      ),
    );
  });

  it('it is silent for too long', async () => {
    server.misbehave({ kind: 'hang' });
    expect(await asked(50)).toEqual(
      failure(
        69,
        `the API server at ${server.url} did not answer within 0.05 s; check the network, and its load`,
      ),
    );
  });

  it('it begins an answer and is silent then', async () => {
    server.misbehave({ kind: 'stall', text: '{"kind":' });
    expect(await asked(500)).toMatchObject({ status: 69 });
  });

  it('it breaks off before it answers', async () => {
    server.misbehave({ kind: 'drop' });
    expect(await asked()).toEqual(
      failure(69, `the API server at ${server.url} broke off before it had answered; check whether it runs`),
    );
  });

  it('it breaks off in the middle of its answer', async () => {
    server.misbehave({ kind: 'text', text: '{"kind":"PodList","items":[]}', cutAt: 10 });
    expect(await asked()).toEqual(
      failure(69, `the API server at ${server.url} broke off before it had answered; check whether it runs`),
    );
  });

  it('its answer does not end', async () => {
    server.misbehave({ kind: 'endless' });
    expect(await asked(60_000)).toEqual(
      failure(
        69,
        `the API server at ${server.url} answers with more than 64 MB; check that an API server listens there, and not something in front of it`,
      ),
    );
  });

  it('it leads elsewhere, where nobody goes', async () => {
    const other = new ApiServer();
    await other.start();
    server.misbehave({ kind: 'redirect', to: `${other.url}/api/v1/pods` });
    expect(await asked()).toEqual(
      failure(
        69,
        `the API server at ${server.url} answers with a redirect, which is not followed; name the API server itself`,
      ),
    );
    expect(other.requests).toEqual([]);
    await other.stop();
  });

  it('its certificate is not of the cluster', async () => {
    pod.write('ca.crt', new CertificateAuthority('another').certificate);
    expect(await asked()).toEqual(
      failure(
        77,
        `the API server at ${server.url} has a certificate that does not come from ${pod.folder}/ca.crt; name the authority of the cluster there`,
      ),
    );
  });

  it('its certificate is of another name', async () => {
    await server.stop();
    server = new ApiServer(['DNS:kubernetes']);
    await server.start();
    pod.remove();
    pod = new PodOfAgent(server);
    expect(await asked()).toEqual(
      failure(
        77,
        `the API server at ${server.url} has a certificate of another name; name the server as its certificate does, or give tls-server-name in ${pod.folder}`,
      ),
    );
    expect(server.requests).toEqual([]);
  });

  it('it does not speak TLS', async () => {
    const plain = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    plain.listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const address = plain.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const client = await apiClient({
      access: { deadlineMs: 10_000 },
      env: { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(port) },
      clock: systemClock,
      serviceAccountFolder: pod.folder,
    });
    const message = `the API server at https://127.0.0.1:${port} does not speak TLS; check the URL`;
    expect(await failureOf(client.request('GET', '/api/v1/pods', {}, signal))).toEqual(failure(69, message));
    plain.close();
  });

  it('whoever asked gives up', async () => {
    server.misbehave({ kind: 'hang' });
    const stop = new AbortController();
    const client = await pod.client();
    const work = failureOf(client.request('GET', '/api/v1/pods', {}, stop.signal));
    await expect.poll(() => server.requests.length).toBe(1);
    stop.abort();
    expect(await work).toMatchObject({ status: 69 });
  });
});
