import { hostname, networkInterfaces } from 'node:os';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CertificateAuthority, type KeyPair } from '../../../fakes/certificates.ts';
import { expiredCertificate } from '../../../fakes/expired-certificate.ts';
import { KubeletScene, never, refusalOf, TOKEN } from '../../../fakes/kubelet-scene.ts';
import { KubeletServer, type KubeletServerParts } from '../../../fakes/kubelet-server.ts';

const hasIPv6 = Object.values(networkInterfaces()).some((some) =>
  some?.some(({ address }) => address === '::1'),
);

let scene: KubeletScene;
const started: KubeletServer[] = [];
beforeAll(() => {
  scene = new KubeletScene();
});
afterEach(async () => {
  scene.hangUp();
  await Promise.all(started.splice(0).map((kubelet) => kubelet.stop()));
});
afterAll(() => {
  scene.remove();
});

async function kubelet(parts: KubeletServerParts = { serving: scene.serving }): Promise<KubeletServer> {
  const server = await KubeletServer.start(parts);
  server.tokens.add(TOKEN);
  started.push(server);
  return server;
}

async function answered(client: ReturnType<KubeletScene['client']>): Promise<unknown> {
  return JSON.parse((await client.get('/pods', never())).toString()) as unknown;
}

const EMPTY_LIST = { kind: 'PodList', apiVersion: 'v1', metadata: {}, items: null };

describe('a kubelet whose certificate is trusted', () => {
  it('is asked with the token, over one connection for all questions', async () => {
    const server = await kubelet();
    const client = scene.client(server.url);
    expect(client.name).toBe(`the kubelet at ${server.url}`);
    expect(await answered(client)).toEqual(EMPTY_LIST);
    expect(JSON.parse((await client.get('/stats/summary', never())).toString())).toEqual(server.summary);
    expect(server.asked).toEqual([
      { path: '/pods', authorization: `Bearer ${TOKEN}`, connection: 1 },
      { path: '/stats/summary', authorization: `Bearer ${TOKEN}`, connection: 1 },
    ]);
  });

  it('is asked again on another connection where the kept one was closed', async () => {
    const server = await kubelet();
    const client = scene.client(server.url);
    for (let round = 0; round < 20; round += 1) {
      await answered(client);
      server.hangUp();
    }
    expect(server.asked).toHaveLength(20);
  });

  it('can have signed for itself, with a name and no address, on this machine', async () => {
    const own = new CertificateAuthority('shelf-1-ca');
    const caFile = scene.write('own.crt', own.certificate);
    const named = await kubelet({
      serving: own.issue({ commonName: 'shelf-1', use: 'server', names: ['DNS:shelf-1'] }),
    });
    expect(await answered(scene.client(named.url, { caFile }, 'shelf-1'))).toEqual(EMPTY_LIST);
    expect(await answered(scene.client(named.url, { caFile, serverName: 'shelf-1' }))).toEqual(EMPTY_LIST);
    const name = `DNS:${hostname().toLowerCase()}`;
    const hosts = await kubelet({ serving: own.issue({ commonName: 'host', use: 'server', names: [name] }) });
    expect(await answered(scene.client(hosts.url, { caFile }, 'node-1'))).toEqual(EMPTY_LIST);
  });

  it.runIf(hasIPv6)('is checked by its IPv6 address, with brackets and without', async () => {
    const serving = (name: string): KeyPair =>
      scene.authority.issue({ commonName: 'node', use: 'server', names: [name] });
    const own = await KubeletServer.start({ serving: serving('IP:::1') }, 0, '::1');
    const other = await KubeletServer.start({ serving: serving('IP:fd00::1') }, 0, '::1');
    started.push(own, other);
    own.tokens.add(TOKEN);
    for (const host of ['[::1]', '::1', '0::1']) {
      // A port of four digits could be a part of an address.
      const port = host.startsWith('[') ? String(own.port) : String(own.port).padStart(5, '0');
      expect(await answered(scene.client(`https://${host}:${port}`, {}, ''))).toEqual(EMPTY_LIST);
    }
    const client = scene.client(`https://[::1]:${other.port}`, {}, '');
    expect((await refusalOf(client.get('/pods', never())))[1]).toContain('has a certificate of another name');
  });

  it('can be the one of the very certificate that is trusted, whoever signed it', async () => {
    const caFile = scene.write('pinned.crt', scene.serving.certificate);
    expect(await answered(scene.client((await kubelet()).url, { caFile }))).toEqual(EMPTY_LIST);
  });

  it('knows a client certificate, and is told no token then', async () => {
    const server = await kubelet({ serving: scene.serving, clientCa: scene.authority.certificate });
    const pair = scene.authority.issue({ commonName: 'nodeqos', use: 'client' });
    const access = {
      caFile: scene.path('ca.crt'),
      clientCertificateFile: scene.write('client.crt', pair.certificate),
      clientKeyFile: scene.write('client.key', pair.key),
    };
    const client = scene.bareClient(server.url, access);
    expect(await answered(client)).toEqual(EMPTY_LIST);
    expect(server.asked.map(({ authorization }) => authorization)).toEqual([undefined]);
  });

  it('knows a client certificate that was renewed', async () => {
    const strangers = new CertificateAuthority('strangers');
    const server = await kubelet({ serving: scene.serving, clientCa: scene.authority.certificate });
    const [old, renewed] = [strangers, scene.authority].map((by) =>
      by.issue({ commonName: 'n', use: 'client' }),
    );
    const file = scene.write('renewed.pem', `${old?.certificate}${old?.key}`);
    const access = { caFile: scene.path('ca.crt'), clientCertificateFile: file, clientKeyFile: file };
    const client = scene.bareClient(server.url, access);
    expect(await refusalOf(client.get('/pods', never()))).toEqual([
      77,
      `the kubelet at ${server.url} does not accept the client certificate of ${file}; name one that the kubelet's clientCAFile has signed as kubelet.clientCertificateFile`,
    ]);
    scene.write('renewed.pem', `${renewed?.certificate}${renewed?.key}`);
    expect(await answered(client)).toEqual(EMPTY_LIST);
  });

  it('on its read-only port is asked without a token', async () => {
    const server = await kubelet({});
    expect(await answered(scene.client(server.url))).toEqual(EMPTY_LIST);
    expect(server.asked).toEqual([{ path: '/pods', authorization: undefined, connection: 1 }]);
  });
});

describe('a kubelet whose certificate is not trusted', () => {
  const untrusted = (url: string, caFile: string): readonly [number, string] => [
    77,
    `the kubelet at ${url} has a certificate that does not come from ${caFile}; name the CA that signed it as kubelet.caFile: that of the cluster, or /var/lib/kubelet/pki/kubelet.crt of the kubelet's machine where it signs for itself`,
  ];

  it('77: it comes from another authority, whatever the environment says of checking', async () => {
    const server = await kubelet();
    const caFile = scene.write('others.crt', new CertificateAuthority('others').certificate);
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      const refusal = await refusalOf(scene.client(server.url, { caFile }).get('/pods', never()));
      expect(refusal).toEqual(untrusted(server.url, caFile));
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    }
    expect(server.asked).toEqual([]);
  });

  it('77: it has signed for itself, and somebody else is trusted', async () => {
    const own = new CertificateAuthority('shelf-1');
    const server = await kubelet({ serving: own });
    const refusal = await refusalOf(scene.client(server.url).get('/pods', never()));
    expect(refusal).toEqual(untrusted(server.url, scene.path('ca.crt')));
    expect(server.asked).toEqual([]);
  });

  it('77: another one is trusted from now on, and what the kept connection was checked by counts no more', async () => {
    const server = await kubelet();
    const caFile = scene.write('changing.crt', scene.authority.certificate);
    const client = scene.client(server.url, { caFile });
    await answered(client);
    scene.write('changing.crt', new CertificateAuthority('others').certificate);
    expect(await refusalOf(client.get('/pods', never()))).toEqual(untrusted(server.url, caFile));
    expect(server.asked).toHaveLength(1);
  });

  it('77: its time is over', async () => {
    const serving = expiredCertificate(scene.serving, scene.authority);
    const server = await kubelet({ serving });
    expect(await refusalOf(scene.client(server.url).get('/pods', never()))).toEqual([
      77,
      `the kubelet at ${server.url} has a certificate whose time is over; renew it, or set the clock right`,
    ]);
    expect(server.asked).toEqual([]);
  });

  it('77: it bears other names', async () => {
    const names = ['DNS:shelf-2', 'DNS:shelf-2.example', 'IP:10.0.0.7'];
    const serving = scene.authority.issue({ commonName: 'shelf-2', use: 'server', names });
    const server = await kubelet({ serving });
    const expected = [
      77,
      `the kubelet at ${server.url} has a certificate of another name (shelf-2, shelf-2.example, 10.0.0.7); name the one that it has to bear as kubelet.serverName`,
    ];
    for (const access of [{}, { serverName: 'shelf-1' }, { serverName: '127.0.0.1' }]) {
      expect(await refusalOf(scene.client(server.url, access).get('/pods', never()))).toEqual(expected);
    }
    expect(await answered(scene.client(server.url, { serverName: '10.0.0.7' }))).toEqual(EMPTY_LIST);
    expect(server.asked).toHaveLength(1);
  });

  it('77: what it bears as names is not repeated where it is none', async () => {
    const names = ['URI:https://evil.example/\u202e', 'email:root@evil.example'];
    const serving = scene.authority.issue({ commonName: 'odd', use: 'server', names });
    const server = await kubelet({ serving });
    expect(await refusalOf(scene.client(server.url).get('/pods', never()))).toEqual([
      77,
      `the kubelet at ${server.url} has a certificate of another name; name the one that it has to bear as kubelet.serverName`,
    ]);
  });
});

describe('a kubelet that lets nobody in without a client certificate', () => {
  it('77: none is named', async () => {
    const clientCa = scene.authority.certificate;
    const server = await kubelet({ serving: scene.serving, clientCa, requiresClient: true });
    expect(await refusalOf(scene.client(server.url).get('/pods', never()))).toEqual([
      77,
      `the kubelet at ${server.url} speaks to nobody without a client certificate; name one as kubelet.clientCertificateFile`,
    ]);
  });
});
