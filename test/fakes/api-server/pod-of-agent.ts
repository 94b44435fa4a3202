import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../agent/observe/system-clock.ts';
import { type ApiClient, apiClient } from '../../../agent/peers/api/api-client.ts';
import type { Clock } from '../../../agent/ports.ts';
import type { ApiServer } from './api-server.ts';
import { AGENT } from './client-of.ts';

/** What a container of a pod has: variables, and the files of its service account. */
export class PodOfAgent {
  readonly folder = mkdtempSync(join(tmpdir(), 'nodeqos-service-account-'));
  readonly server: ApiServer;

  constructor(server: ApiServer) {
    this.server = server;
    mkdirSync(this.folder, { recursive: true });
    this.write('ca.crt', server.authority.certificate);
    this.token = 'first-token';
  }

  /** Another token in the file, and one that the server takes. */
  set token(token: string) {
    this.server.tokens.set(token, AGENT);
    this.write('token', `${token}\n`);
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  get env(): Readonly<Record<string, string>> {
    return {
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT: String(this.server.port),
    };
  }

  async client(deadlineMs = 10_000, clock: Clock = systemClock): Promise<ApiClient> {
    const access = { deadlineMs };
    return await apiClient({ access, env: this.env, clock, serviceAccountFolder: this.folder });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
