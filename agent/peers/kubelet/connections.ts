import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP } from 'node:net';
import { checkServerIdentity, createSecureContext, type PeerCertificate, type SecureContext } from 'node:tls';
import { EXIT, Failure } from '../../exit.ts';
import type { Credentials } from './credentials.ts';

/** How long a connection that nobody asks anything over is kept. */
const IDLE_MS = 60_000;

/**
 * Connections to one kubelet. They are kept between questions, and given up for new ones when other certificates are trusted
 * or presented: what was checked by the old ones says nothing about the new ones. Certificates are checked always, whatever
 * the environment says, and nothing goes through a proxy.
 */
export class KubeletConnections {
  /** The names of which the kubelet's certificate has to bear one, the most likely first. */
  readonly #names: readonly string[];
  readonly #plain = new HttpAgent({ keepAlive: true, timeout: IDLE_MS });
  #secure: { readonly made: Credentials; readonly agent: HttpsAgent } | undefined;

  constructor(names: readonly string[]) {
    this.#names = names;
  }

  /** Connections without TLS, over which no credentials go. */
  get plain(): HttpAgent {
    return this.#plain;
  }

  /** Connections with these credentials. Throws Failure 65 where certificate and key do not make one. */
  secure(credentials: Credentials): HttpsAgent {
    if (this.#secure !== undefined && isSame(this.#secure.made, credentials)) return this.#secure.agent;
    const agent = new HttpsAgent({
      keepAlive: true,
      timeout: IDLE_MS,
      secureContext: secureContext(credentials),
      // Said, since its default is taken from the environment.
      rejectUnauthorized: true,
      servername: this.#names.find((name) => isIP(name) === 0) ?? '',
      checkServerIdentity: (_host, certificate) => this.#identityFault(certificate),
    });
    this.#secure = { made: credentials, agent };
    return agent;
  }

  /** Ends the connections, of whoever still asks over one too. */
  close(): void {
    this.#plain.destroy();
    this.#secure?.agent.destroy();
    this.#secure = undefined;
  }

  #identityFault(certificate: PeerCertificate): Error | undefined {
    const faults = this.#names.map((name) => checkServerIdentity(name, certificate));
    return faults.includes(undefined) ? undefined : faults[0];
  }
}

function isSame(one: Credentials, other: Credentials): boolean {
  return (
    one.trusted.join('\n') === other.trusted.join('\n') &&
    one.client?.certificate === other.client?.certificate &&
    one.client?.key === other.client?.key
  );
}

function secureContext({ trusted, client }: Credentials): SecureContext {
  try {
    return createSecureContext({
      ca: [...trusted],
      // A kubelet's own certificate may be named without the one that it signed it with.
      allowPartialTrustChain: true,
      ...(client === undefined ? {} : { cert: client.certificate, key: client.key }),
    });
  } catch {
    // What the library says of a key may hold parts of it.
    const files = client === undefined ? 'the trusted certificates' : `${client.file} and ${client.keyFile}`;
    const remedy = 'name a certificate and its own key, in PEM and without a passphrase';
    throw new Failure(EXIT.badData, `${files} make no client certificate; ${remedy}`);
  }
}
