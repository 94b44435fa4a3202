import { createServer, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { kubeletAddress } from '../../../../agent/peers/kubelet/address.ts';
import { connectionFault } from '../../../../agent/peers/kubelet/faults.ts';
import { kubeletPods } from '../../../../agent/peers/kubelet/kubelet-pods.ts';
import { FakeClock } from '../../../fakes/fake-clock.ts';
import { KubeletScene, never, refusalOf, TOKEN } from '../../../fakes/kubelet-scene.ts';
import { KubeletServer, sendJson } from '../../../fakes/kubelet-server.ts';

let scene: KubeletScene;
let server: KubeletServer;
let who: string;
beforeAll(() => {
  scene = new KubeletScene();
});
beforeEach(async () => {
  server = await KubeletServer.start({ serving: scene.serving });
  server.tokens.add(TOKEN);
  who = `the kubelet at ${server.url}`;
});
afterEach(async () => {
  scene.hangUp();
  await server.stop();
});
afterAll(() => {
  scene.remove();
});

function ask(access: Parameters<KubeletScene['client']>[1] = {}, path: '/pods' | '/stats/summary' = '/pods') {
  return refusalOf(scene.client(server.url, access).get(path, never()));
}

const CHECK_WHO = 'check that a kubelet listens there, and not something in front of it';

describe('an answer that says no', () => {
  it('77: the token is not accepted', async () => {
    server.tokens.clear();
    const remedy = 'name the file of one that the API server of its cluster has issued as kubelet.tokenFile';
    const file = scene.path('token');
    expect(await ask()).toEqual([77, `${who} does not accept the token of ${file}; ${remedy}`]);
    expect(server.asked).toHaveLength(1);
  });

  it('77: nobody has said who asks', async () => {
    const client = scene.bareClient(server.url, { caFile: scene.path('ca.crt') });
    expect(await refusalOf(client.get('/pods', never()))).toEqual([
      77,
      `${who} wants to know who asks for /pods; name a token as kubelet.tokenFile, or a client certificate as kubelet.clientCertificateFile`,
    ]);
  });

  it('77: over http nobody says who asks', async () => {
    const open = await KubeletServer.start({});
    open.instead = (response) => response.writeHead(401).end();
    expect(await refusalOf(scene.client(open.url).get('/pods', never()))).toEqual([
      77,
      `the kubelet at ${open.url} wants to know who asks for /pods, which is not told over http; name its https port (10250)`,
    ]);
    scene.hangUp();
    await open.stop();
  });

  it.each([
    ['/pods', '"get" on nodes/pods, or on nodes/proxy before Kubernetes 1.33'],
    ['/stats/summary', '"get" on nodes/stats'],
  ] as const)('77: %s is not allowed', async (path, right) => {
    server.instead = (response) => response.writeHead(403).end('Forbidden (user=secret)');
    expect(await ask({}, path)).toEqual([77, `${who} does not let nodeqos read ${path}; allow it ${right}`]);
  });

  it.each([
    [404, 'has no /pods; check that a kubelet listens there'],
    [429, 'has too much to do to answer /pods; it is to be asked again later'],
    [500, 'failed to answer /pods (status 500); its log says why'],
    [503, 'failed to answer /pods (status 503); its log says why'],
    [204, 'failed to answer /pods (status 204); its log says why'],
    [400, 'failed to answer /pods (status 400); its log says why'],
  ])('69: status %i', async (status, why) => {
    server.instead = (response) => response.writeHead(status).end('secret');
    expect(await ask()).toEqual([69, `${who} ${why}`]);
  });

  it.each([301, 302, 307, 308])(
    '69: a redirect (%i), and nobody is told the token at its end',
    async (status) => {
      const other = await KubeletServer.start({ serving: scene.serving });
      server.instead = (response) => response.writeHead(status, { location: `${other.url}/pods` }).end();
      expect(await ask()).toEqual([
        69,
        `${who} answers /pods with a redirect, which is not followed; name the kubelet itself`,
      ]);
      expect([other.asked, other.connectionCount]).toEqual([[], 0]);
      await other.stop();
    },
  );
});

describe('an answer that is none', () => {
  it('69: headers that do not come in time', async () => {
    server.instead = () => undefined;
    const remedy = 'check how busy the node is, or raise kubelet.deadline';
    expect(await ask({ deadlineMs: 300 })).toEqual([
      69,
      `${who} did not answer /pods within 0.3 s; ${remedy}`,
    ]);
  });

  it('69: a body that drips, each drop in time', async () => {
    server.instead = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const drips = setInterval(() => response.write(' '), 20);
      response.on('close', () => {
        clearInterval(drips);
      });
    };
    const remedy = 'check how busy the node is, or raise kubelet.deadline';
    expect(await ask({ deadlineMs: 400 })).toEqual([
      69,
      `${who} did not answer /pods within 0.4 s; ${remedy}`,
    ]);
  });

  it.each([
    ['of a length that was told', { 'content-length': '1000' }],
    ['in pieces', {}],
  ])('69: a body %s that is cut', async (_, headers) => {
    server.instead = (response) => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers });
      response.write('{"kind":"PodList","items":[]');
      setTimeout(() => response.socket?.destroy(), 50);
    };
    expect(await ask()).toEqual([
      69,
      `${who} broke off before /pods was answered; check whether the kubelet runs`,
    ]);
  });

  it('69: a connection that is closed instead', async () => {
    server.instead = (response) => response.socket?.destroy();
    expect(await ask()).toEqual([
      69,
      `${who} broke off before /pods was answered; check whether the kubelet runs`,
    ]);
    expect(server.asked).toHaveLength(1);
  });

  it('69: a change of protocol', async () => {
    server.instead = (response) => {
      response.socket?.end(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: spdy\r\n\r\n',
      );
    };
    expect(await ask()).toEqual([
      69,
      `${who} broke off before /pods was answered; check whether the kubelet runs`,
    ]);
  });

  it('69: a length of more than can be held, of which nothing is read', async () => {
    server.instead = (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(2 ** 40) });
      response.flushHeaders();
    };
    expect(await ask()).toEqual([69, `${who} answers /pods with more than 64 MB; ${CHECK_WHO}`]);
  });

  it('69: a body that does not end', async () => {
    const block = Buffer.alloc(1024 * 1024, ' ');
    server.instead = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => {
        while (response.write(block));
      };
      response.on('drain', more);
      more();
    };
    expect(await ask()).toEqual([69, `${who} answers /pods with more than 64 MB; ${CHECK_WHO}`]);
  });

  it.each([
    ['something else than JSON', { 'content-type': 'text/html' }],
    ['something else than JSON', { 'content-type': 'application/jsonlines' }],
    ['something else than JSON', {}],
  ])('69: %s', async (_, headers) => {
    server.instead = (response) => response.writeHead(200, headers).end('{}');
    expect(await ask()).toEqual([69, `${who} answers /pods with something else than JSON; ${CHECK_WHO}`]);
  });

  it('69: an answer that has to be unpacked', async () => {
    server.instead = (response) =>
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end('');
    expect(await ask()).toEqual([
      69,
      `${who} answers /pods packed, although nobody asked for that; ${CHECK_WHO}`,
    ]);
  });

  it.each([
    ['text that is not JSON', 'never mind'],
    ['text that is not JSON', '{"kind":"PodList","items":['],
    ['text that is not JSON', ''],
    ['JSON that is no list of pods', '[]'],
    ['JSON that is no list of pods', '{"kind":"NodeList","items":[]}'],
    ['JSON that is no list of pods', '{"kind":"PodList","items":{}}'],
  ])('65: %s', async (what, text) => {
    server.instead = (response) => {
      sendJson(response, text);
    };
    const pods = kubeletPods(scene.client(server.url), { everyMs: 1000, clock: new FakeClock() });
    expect(await refusalOf(pods.list(never()))).toEqual([
      65,
      `${who} answers /pods with ${what}; ${CHECK_WHO}`,
    ]);
  });

  it('65: a pod that is none', async () => {
    const metadata = { namespace: 'shop', name: 'till' };
    const pods = kubeletPods(scene.client(server.url), { everyMs: 1000, clock: new FakeClock() });
    const containers = [{ name: 'a', resources: { requests: { memory: 'much' } } }];
    server.pods = { kind: 'PodList', items: [{ metadata, spec: { containers } }] };
    const [status, message] = await refusalOf(pods.list(never()));
    expect(status).toBe(65);
    expect(message).toMatch(
      /^the kubelet at \S+ lists the pod shop\/till that cannot be read \(spec\.containers\.0\.resources\.requests\.memory: .*\); correct that pod$/,
    );
    server.pods = { kind: 'PodList', items: [7] };
    expect((await refusalOf(pods.list(never())))[1]).toMatch(/ lists a pod that cannot be read \(/);
  });
});

describe('a place where no kubelet answers', () => {
  it('69: nobody listens', async () => {
    const { url } = server;
    await server.stop();
    expect(await refusalOf(scene.client(url).get('/pods', never()))).toEqual([
      69,
      `${who} does not listen there; check the URL, and whether the kubelet runs`,
    ]);
    server = await KubeletServer.start({});
  });

  it('69: a name that nobody knows', async () => {
    expect(await refusalOf(scene.client('https://no-such-node.invalid').get('/pods', never()))).toEqual([
      69,
      'the name no-such-node.invalid of the kubelet is not known here; check the URL, or name an address',
    ]);
  });

  it('69: https is asked of the read-only port, and http of the other one', async () => {
    const open = await KubeletServer.start({});
    const secured = open.url.replace('http:', 'https:');
    expect(await refusalOf(scene.client(secured).get('/pods', never()))).toEqual([
      69,
      `the kubelet at ${secured} does not speak TLS; check the URL, and whether it wants http`,
    ]);
    // As the kubelet's own server says it; what it is asked with has no token in it.
    open.instead = (response) =>
      response.writeHead(400).end('Client sent an HTTP request to an HTTPS server.');
    expect(await refusalOf(scene.client(open.url).get('/pods', never()))).toEqual([
      69,
      `the kubelet at ${open.url} does not understand the question for /pods; check whether it wants https`,
    ]);
    expect(open.asked.map(({ authorization }) => authorization)).toEqual([undefined]);
    await open.stop();
  });

  it('69: somebody speaks something else', async () => {
    const other: Server = createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    await new Promise<void>((resolve) => {
      other.listen(0, '127.0.0.1', resolve);
    });
    const address = other.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`;
    expect(await refusalOf(scene.client(url).get('/pods', never()))).toEqual([
      69,
      `the kubelet at ${url} does not speak HTTP; check the URL`,
    ]);
    other.close();
  });

  it.each([
    ['EHOSTUNREACH', 69, 'cannot be reached; check the URL and the network'],
    ['ETIMEDOUT', 69, 'cannot be reached; check the URL and the network'],
    ['CERT_NOT_YET_VALID', 77, 'has a certificate whose time has not begun; set the clock right'],
    [
      'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
      77,
      "does not accept the client certificate of /c.pem; name one that the kubelet's clientCAFile has signed as kubelet.clientCertificateFile",
    ],
    ['ERR_OTHER', 69, 'broke off before /pods was answered; check whether the kubelet runs'],
  ])('%s: %i', (code, status, sentence) => {
    const client = { certificate: '', key: '', file: '/c.pem', keyFile: '/c.key' };
    const credentials = { client, trusted: [], trustedFiles: ['/ca.crt'] };
    const asked = { address: kubeletAddress('https://node-1'), path: '/pods', credentials } as const;
    const failure = connectionFault(asked, Object.assign(new Error('secret'), { code }));
    expect([failure.status, failure.message]).toEqual([
      status,
      `the kubelet at https://node-1:10250 ${sentence}`,
    ]);
  });
});

describe('a question that nobody waits for any more', () => {
  it.each(['before it is asked', 'while it is answered'])('ends: %s', async (when) => {
    const stop = new AbortController();
    server.instead = () => {
      stop.abort();
    };
    if (when === 'before it is asked') stop.abort();
    const [status] = await refusalOf(scene.client(server.url).get('/pods', stop.signal));
    expect([status, server.asked.length]).toEqual([69, when === 'before it is asked' ? 0 : 1]);
  });
});

it('goes to the kubelet and not to the proxy of the environment', async () => {
  const proxy = await KubeletServer.start({});
  const before = process.env;
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy', 'ALL_PROXY'];
  const proxies = Object.fromEntries(names.map((name) => [name, proxy.url]));
  process.env = { ...before, ...proxies, NODE_USE_ENV_PROXY: '1' };
  try {
    await scene.client(server.url).get('/pods', never());
  } finally {
    process.env = before;
  }
  expect([server.asked.length, proxy.asked.length, proxy.connectionCount]).toEqual([1, 0, 0]);
  await proxy.stop();
});

describe('a token that is replaced', () => {
  it('is read anew for each question', async () => {
    const tokenFile = scene.write('rotating', TOKEN);
    const client = scene.client(server.url, { tokenFile });
    await client.get('/pods', never());
    server.tokens.clear();
    server.tokens.add('the-next-one');
    scene.write('rotating', 'the-next-one');
    await client.get('/pods', never());
    expect(server.asked.map(({ authorization }) => authorization)).toEqual([
      `Bearer ${TOKEN}`,
      'Bearer the-next-one',
    ]);
  });

  it('while the question is on its way is tried once, and only once', async () => {
    const tokenFile = scene.write('rotating', TOKEN);
    server.tokens.clear();
    server.tokens.add('the-next-one');
    server.instead = (response) => {
      scene.write('rotating', 'the-next-one');
      server.instead = undefined;
      response.writeHead(401).end();
    };
    await scene.client(server.url, { tokenFile }).get('/pods', never());
    server.tokens.clear();
    server.instead = (response) => {
      scene.write('rotating', `a-secret-${server.asked.length}`);
      response.writeHead(401).end();
    };
    expect((await ask({ tokenFile }))[0]).toBe(77);
    expect(server.asked.map(({ authorization }) => authorization)).toEqual([
      `Bearer ${TOKEN}`,
      'Bearer the-next-one',
      'Bearer the-next-one',
      'Bearer a-secret-3',
    ]);
  });
});
