import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiClient, apiClient } from '../../../agent/peers/api/api-client.ts';
import type { Clock } from '../../../agent/ports.ts';
import type { ApiServer } from './api-server.ts';

/** Whom the server takes the agent for, and the token that must never be seen anywhere. */
export const AGENT = 'system:serviceaccount:nodeqos:nodeqos';
export const SECRET_TOKEN = 'eyJhbGciOiJSUzI1NiJ9.never-to-be-seen';

/** A client, and how its files go away again. */
interface TestClient {
  readonly client: ApiClient;
  readonly forget: () => void;
}

/** The product's own client for a server, with a token, through a kubeconfig that is there until it is forgotten. */
export async function clientOf(server: ApiServer, clock: Clock, deadlineMs = 5000): Promise<TestClient> {
  server.tokens.set(SECRET_TOKEN, AGENT);
  const folder = mkdtempSync(join(tmpdir(), 'nodeqos-client-'));
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, JSON.stringify(kubeconfigOf(server)), { mode: 0o600 });
  const client = await apiClient({ access: { kubeconfig, deadlineMs }, env: {}, clock });
  const forget = (): void => {
    rmSync(folder, { recursive: true, force: true });
  };
  return { client, forget };
}

function kubeconfigOf(server: ApiServer): object {
  const authority = Buffer.from(server.authority.certificate).toString('base64');
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'agent' } }],
    clusters: [{ name: 'test', cluster: { server: server.url, 'certificate-authority-data': authority } }],
    users: [{ name: 'agent', user: { token: SECRET_TOKEN } }],
  };
}
