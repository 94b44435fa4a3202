import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../../agent/exit.ts';
import { HOST_PATHS } from '../../agent/observe/input-file.ts';
import { systemClock } from '../../agent/observe/system-clock.ts';
import type { KubeletFiles } from '../../agent/peers/kubelet/credentials.ts';
import { type KubeletClient, kubeletClient } from '../../agent/peers/kubelet/kubelet-client.ts';
import type { KubeletAccess } from '../../config/nodeqos/settings.ts';
import { CertificateAuthority, type KeyPair } from './certificates.ts';

/** What must stay out of every sentence. */
export const TOKEN = 'eyJhbGciOiJSUzI1NiJ9.a-secret-of-the-test.c2lnbmF0dXJl';

/** A folder of credentials, and who signs certificates in it. */
export class KubeletScene {
  readonly authority = new CertificateAuthority('kubelet-authority');
  readonly serving: KeyPair;
  readonly folder = mkdtempSync(join(tmpdir(), 'nodeqos-kubelet-'));
  readonly #clients: KubeletClient[] = [];

  constructor() {
    this.serving = this.authority.issue({ commonName: 'system:node:shelf-1', use: 'server' });
    this.write('ca.crt', this.authority.certificate);
    this.write('token', `${TOKEN}\n`);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, text: string): string {
    writeFileSync(this.path(name), text);
    return this.path(name);
  }

  /** The files that count where none are named: in this folder, and not on this machine. */
  get files(): KubeletFiles {
    return {
      tree: HOST_PATHS,
      serviceAccountToken: this.path('account/token'),
      serviceAccountCa: this.path('account/ca.crt'),
      ownCertificate: this.path('pki/kubelet.crt'),
    };
  }

  /** A client with the token and the CA of this folder, unless told otherwise. */
  client(url: string, access: Partial<KubeletAccess> = {}, nodeName?: string): KubeletClient {
    const usual = { tokenFile: this.path('token'), caFile: this.path('ca.crt'), deadlineMs: 30_000 };
    return this.bareClient(url, { ...usual, ...access }, nodeName);
  }

  /** A client for which nothing is named but what is given. */
  bareClient(url: string, access: Partial<KubeletAccess> = {}, nodeName?: string): KubeletClient {
    const { files } = this;
    const all = { deadlineMs: 30_000, ...access };
    const client = kubeletClient({ url, access: all, nodeName, files, clock: systemClock });
    this.#clients.push(client);
    return client;
  }

  /** Closes what the clients of one test have left open. */
  hangUp(): void {
    for (const client of this.#clients.splice(0)) client.close();
  }

  remove(): void {
    this.hangUp();
    rmSync(this.folder, { recursive: true });
  }
}

/** A signal that nobody aborts. */
export function never(): AbortSignal {
  return new AbortController().signal;
}

/** The status and the sentence that a question ends with; fails the test where it is answered. */
export async function refusalOf(answer: Promise<unknown>): Promise<readonly [number, string]> {
  const failure = await answer.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(failure instanceof Failure)) throw new Error('a Failure was expected', { cause: failure });
  if (failure.message.includes('secret')) throw new Error('the token is in the sentence');
  return [failure.status, failure.message];
}
