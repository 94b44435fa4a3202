import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../agent/observe/system-clock.ts';
import { inClusterAccount } from '../../../../agent/peers/api/account.ts';
import { type ApiClient, apiClient } from '../../../../agent/peers/api/api-client.ts';
import { readKubeconfig } from '../../../../agent/peers/api/kubeconfig.ts';
import { ApiServer } from '../../../fakes/api-server/api-server.ts';

const CONTEXT = `current-context: here
contexts:
- name: there
  context: {cluster: other, user: other}
- name: here
  context: {cluster: c, user: u}
`;
const CLUSTERS = `clusters:
- name: c
  cluster:
    server: https://10.0.0.1:6443/
`;
const USERS = `users:
- name: u
  user:
    token: hush
`;

function read(text: string): unknown {
  try {
    return readKubeconfig({ file: '/etc/k/config', text });
  } catch (error) {
    return error instanceof Error && 'status' in error ? [error.status, error.message] : error;
  }
}

describe('what a kubeconfig says', () => {
  it.each([
    ['the current context counts', `${CONTEXT}${CLUSTERS}${USERS}`, { token: { text: 'hush' } }],
    [
      'a token file goes before a token, and relative paths are beside the file',
      `${CONTEXT}${CLUSTERS}${USERS}    tokenFile: t/token\n`,
      { token: { file: '/etc/k/t/token' } },
    ],
    [
      'files of certificates',
      `${CONTEXT}${CLUSTERS}    certificate-authority: ca.crt\nusers: [{name: u, user: {client-certificate: /c, client-key: ../k}}]`,
      { ca: { file: '/etc/k/ca.crt' }, client: { certificate: { file: '/c' }, key: { file: '/etc/k' } } },
    ],
    [
      'what is written down goes before what is named',
      `${CONTEXT}${CLUSTERS}    certificate-authority: ca.crt\n    certificate-authority-data: YWJj\n    tls-server-name: api\n${USERS}`,
      { ca: { text: 'abc' }, serverName: 'api', token: { text: 'hush' } },
    ],
  ])('%s', (_sentence, text, expected) => {
    expect(read(text)).toEqual({ from: '/etc/k/config', server: 'https://10.0.0.1:6443', ...expected });
  });
});

describe('what is refused', () => {
  const user = (text: string): string => `${CONTEXT}${CLUSTERS}users:\n- name: u\n  user:\n    ${text}\n`;
  const cluster = (text: string): string => `${CONTEXT}${CLUSTERS}    ${text}\n${USERS}`;
  it.each([
    [
      'a command',
      user('exec: {command: /bin/get-token}'),
      77,
      ':14:5: users[0].user.exec: gets credentials from a command, and nodeqos runs none; use a token file or a client certificate',
    ],
    [
      'another host for credentials',
      user('auth-provider: {name: oidc}'),
      77,
      ':14:5: users[0].user.auth-provider: gets credentials from another host; use a token file or a client certificate',
    ],
    [
      'a password',
      user('{username: a, password: hush}'),
      77,
      ':14:6: users[0].user.username: is a password, which no API server takes; use a token file or a client certificate',
    ],
    [
      'to be somebody else',
      user('{token: hush, as: root}'),
      77,
      ':14:19: users[0].user.as: is somebody else, and nodeqos asks only as itself; give this user what it needs',
    ],
    [
      'a certificate that is not checked',
      cluster('insecure-skip-tls-verify: true'),
      77,
      ':11:5: clusters[0].cluster.insecure-skip-tls-verify: leaves the certificate of the server unchecked; name its authority as certificate-authority',
    ],
    [
      'a proxy',
      cluster('proxy-url: socks5://elsewhere:1080'),
      77,
      ':11:5: clusters[0].cluster.proxy-url: goes through a proxy, and nodeqos asks the API server itself; name the server alone',
    ],
    [
      'a server in the clear',
      `${CONTEXT}clusters: [{name: c, cluster: {server: 'http://a:80'}}]\n${USERS}`,
      77,
      ':7:32: clusters[0].cluster.server: is not https, so that credentials would go out in the clear; name the https port',
    ],
    [
      'a URL with a password',
      `${CONTEXT}clusters: [{name: c, cluster: {server: 'https://a:hush@b'}}]\n${USERS}`,
      65,
      ':7:32: clusters[0].cluster.server: is no URL of a server; give https://HOST:PORT',
    ],
    [
      'no server',
      `${CONTEXT}clusters: [{name: c, cluster: {}}]\n${USERS}`,
      65,
      ': clusters[0].cluster.server: is missing; the current context needs it',
    ],
    [
      'no current context',
      `${CLUSTERS}${USERS}`,
      65,
      ': current-context: no context is current; choose one with kubectl config use-context',
    ],
    [
      'a context that is not there',
      'current-context: a\ncontexts: []\n',
      65,
      ':2:1: contexts: there is none of the name "a"',
    ],
    ['a cluster that is not there', `${CONTEXT}${USERS}`, 65, ': clusters: there is none of the name "c"'],
    [
      'a user without anything',
      user('{}'),
      65,
      ':13:3: users[0].user: has neither a token nor a client certificate; give it one of them',
    ],
    [
      'a certificate without its key',
      user('client-certificate-data: YWJj'),
      65,
      ': users[0].user.client-key: is not there, and certificate and key go together',
    ],
    [
      'data that is no base64',
      cluster('certificate-authority-data: "hush!"'),
      65,
      ':11:5: clusters[0].cluster.certificate-authority-data: is not base64; write the configuration anew',
    ],
    [
      'a number for a token',
      user('token: 12345'),
      65,
      ':14:5: users[0].user.token: expected a string, found a number',
    ],
    [
      'an empty file',
      '',
      65,
      ': the file is empty; name a kubeconfig, as kubectl writes it, as api.kubeconfig',
    ],
    [
      'a list',
      '- hush',
      65,
      ': expected a map, found a list; name a kubeconfig, as kubectl writes it, as api.kubeconfig',
    ],
    [
      'no YAML',
      'token: "hush\n  - {',
      65,
      ': this is no YAML; name a kubeconfig, as kubectl writes it, as api.kubeconfig',
    ],
  ])('%s', (_sentence, text, status, message) => {
    const answer = read(text) as [number, string];
    expect(answer[0]).toBe(status);
    expect(answer[1]).toMatch(/^\/etc\/k\/config:/);
    expect(answer[1].endsWith(message)).toBe(true);
    expect(answer[1]).not.toContain('hush');
  });
});

describe('the account of a pod', () => {
  it.each([
    ['10.96.0.1', 'https://10.96.0.1:8080'],
    ['fd00::1', 'https://[fd00::1]:8080'],
    ['api.cluster.local', 'https://api.cluster.local:8080'],
  ])('%s is %s, and never http', (host, server) => {
    expect(
      inClusterAccount({ KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: '8080' }, '/sa'),
    ).toEqual({
      server,
      from: '/sa',
      ca: { file: '/sa/ca.crt' },
      token: { file: '/sa/token' },
    });
  });

  it.each([
    [
      {},
      66,
      'nothing says where the API server is: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set, since this is no pod of a cluster; name a kubeconfig as api.kubeconfig',
    ],
    [
      { KUBERNETES_SERVICE_HOST: 'a b', KUBERNETES_SERVICE_PORT: '1' },
      65,
      'KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are no host and port; name a kubeconfig as api.kubeconfig',
    ],
  ])('%j', (env, status, message) => {
    expect(() => inClusterAccount(env)).toThrow(expect.objectContaining({ status, message }) as Error);
  });
});

describe('files', () => {
  let server: ApiServer;
  let folder: string;
  const { signal } = new AbortController();

  beforeEach(async () => {
    server = new ApiServer();
    await server.start();
    folder = mkdtempSync(join(tmpdir(), 'nodeqos-kubeconfig-'));
  });

  afterEach(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  function write(name: string, text: string): string {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  }

  function kubeconfig(user: object, cluster: object = { 'certificate-authority': 'ca.crt' }): string {
    write('ca.crt', server.authority.certificate);
    const named = { server: server.url, ...cluster };
    return write(
      'config',
      JSON.stringify({
        'current-context': 'x',
        contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
        clusters: [{ name: 'x', cluster: named }],
        users: [{ name: 'x', user }],
      }),
    );
  }

  async function client(path: string): Promise<ApiClient> {
    return await apiClient({ access: { kubeconfig: path, deadlineMs: 10_000 }, env: {}, clock: systemClock });
  }

  async function refusal(path: string): Promise<unknown> {
    return await client(path).then(
      () => undefined,
      (error: unknown) =>
        error instanceof Error && 'status' in error ? [error.status, error.message] : error,
    );
  }

  it('a client certificate says who asks, and a renewed one is taken', async () => {
    const first = server.authority.issue({ commonName: 'system:node:a', use: 'client' });
    write('both.pem', first.certificate + first.key);
    const path = kubeconfig({ 'client-certificate': 'both.pem', 'client-key': 'both.pem' });
    const api = await client(path);
    expect(api.identity).toBe(`the client certificate of ${folder}/both.pem`);
    expect((await api.request('GET', '/api/v1/pods', {}, signal)).status).toBe(200);
    const second = server.authority.issue({ commonName: 'system:node:b', use: 'client' });
    write('both.pem', second.certificate + second.key);
    await api.request('GET', '/api/v1/pods', {}, signal);
    expect(server.requests.map(({ user }) => user)).toEqual(['system:node:a', 'system:node:b']);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  });

  it('everything may be written in the file', async () => {
    server.tokens.set('inline', 'somebody');
    const data = Buffer.from(server.authority.certificate).toString('base64');
    const api = await client(kubeconfig({ token: 'inline' }, { 'certificate-authority-data': data }));
    expect((await api.request('GET', '/api/v1/pods', {}, signal)).status).toBe(200);
    expect(api.identity).toBe(`the token of ${folder}/config`);
  });

  it('the name that the certificate bears may be another', async () => {
    server.tokens.set('inline', 'somebody');
    const path = kubeconfig(
      { token: 'inline' },
      { 'certificate-authority': 'ca.crt', 'tls-server-name': 'localhost' },
    );
    expect((await (await client(path)).request('GET', '/api/v1/pods', {}, signal)).status).toBe(200);
  });

  it('one that is not there', async () => {
    expect(await refusal(join(folder, 'none'))).toEqual([
      66,
      `${folder}/none: there is no such file; check the path`,
    ]);
  });

  it('a token file that is not there', async () => {
    expect(await refusal(kubeconfig({ tokenFile: 'none' }))).toEqual([
      66,
      `${folder}/none: there is no such file; check the path`,
    ]);
  });

  it('a token file that holds something else', async () => {
    write('token', 'hush hush\n');
    expect(await refusal(kubeconfig({ tokenFile: 'token' }))).toEqual([
      65,
      `${folder}/token holds no token, which is one word; put the token of an account there`,
    ]);
  });

  it('a damaged authority', async () => {
    write('broken.crt', '-----BEGIN CERTIFICATE-----\nhush\n-----END CERTIFICATE-----\n');
    const expected = (name: string): unknown => [
      65,
      `${folder}/${name}: there is no certificate of an authority, in PEM, or it is damaged; put one there`,
    ];
    expect(await refusal(kubeconfig({ token: 'a' }, { 'certificate-authority': 'broken.crt' }))).toEqual(
      expected('broken.crt'),
    );
    write('empty.crt', 'hush');
    expect(await refusal(kubeconfig({ token: 'a' }, { 'certificate-authority': 'empty.crt' }))).toEqual(
      expected('empty.crt'),
    );
  });

  it('a client certificate with the key of another', async () => {
    const one = server.authority.issue({ commonName: 'a', use: 'client' });
    const other = server.authority.issue({ commonName: 'a', use: 'client' });
    write('a.crt', one.certificate);
    write('a.key', other.key);
    expect(await refusal(kubeconfig({ 'client-certificate': 'a.crt', 'client-key': 'a.key' }))).toEqual([
      65,
      `${folder}/a.crt and ${folder}/a.key: there is no client certificate with its own key, in PEM and without a passphrase, or it is damaged; put one there`,
    ]);
  });
});
