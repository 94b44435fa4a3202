import { asRecord, asString, valueAt } from '../../../config/text/plain-value.ts';
import { EXIT, Failure } from '../../exit.ts';
import { isUntrusted, outOfTime } from '../certificate-codes.ts';
import type { ApiAnswer, ApiClient } from './api-port.ts';
import { type ApiCredentials, nameOf } from './credentials.ts';
import { TooLong } from './exchange.ts';

/** What a request wanted, in the words of RBAC: a ClusterRole that allows it has these. */
export interface AskedOf {
  readonly client: Pick<ApiClient, 'name' | 'identity'>;
  /** Such as `list`, or `create`. */
  readonly verb: string;
  /** Such as `pods`, or `pods/eviction`. */
  readonly resource: string;
}

/** The failure that an answer is where another one was needed, in a sentence with the remedy. */
export function answerFailure(answer: ApiAnswer, { client, verb, resource }: AskedOf): Failure {
  const { status, body } = answer;
  const who = client.name;
  switch (status) {
    case 401:
      return notPermitted(
        `${who} does not accept ${client.identity}; give nodeqos a service account, or one that its cluster has issued as api.kubeconfig`,
      );
    case 403: {
      const remedy = `allow it the verb "${verb}" on ${resource} in a ClusterRole`;
      return notPermitted(`${who} does not let nodeqos${knownAs(answer)} ${verb} ${resource}; ${remedy}`);
    }
    case 404:
      return unavailable(
        `${who} does not know the ${resource} that it was asked for; check that it is an API server`,
      );
    case 429:
      return unavailable(`${who} has too much to do to ${verb} ${resource}; it is to be asked again later`);
    default:
      if (status >= 500) {
        return unavailable(`${who} failed to ${verb} ${resource} (status ${status}); its log says why`);
      }
      return status < 300 && body === undefined
        ? unavailable(`${who} answers with something else than JSON; ${CHECK_WHO}`)
        : unavailable(`${who} does not ${verb} ${resource} (status ${status}); ${CHECK_WHO}`);
  }
}

const CHECK_WHO = 'check that an API server listens there, and not something in front of it';

/** ` (as NAME)`: whom a server takes nodeqos for, where it says so as API servers do. */
function knownAs({ body }: ApiAnswer): string {
  const message = asString(valueAt(asRecord(body), 'message')) ?? '';
  const [, name] = /User "([\x21\x23-\x7e]{1,253})"/.exec(message) ?? [];
  return name === undefined ? '' : ` (as ${name})`;
}

/** What asks with certificates, as far as it is known when nobody has answered. */
export interface Asking {
  readonly name: string;
  readonly credentials: ApiCredentials;
}

/** A redirect: whom it leads to, nobody has named. */
export function redirectFailure({ name }: Asking): Failure {
  return unavailable(`${name} answers with a redirect, which is not followed; name the API server itself`);
}

/** A line of a watch that is no event. */
export function noEventFailure({ name }: Asking): Failure {
  return unavailable(`${name} sends something else than events; ${CHECK_WHO}`);
}

export function lateFailure(name: string, deadlineMs: number): Failure {
  return unavailable(`${name} did not answer within ${deadlineMs / 1000} s; check the network, and its load`);
}

/** The failure that lies behind what node:https, node:tls or the resolver rejected with. */
export function connectionFailure(asking: Asking, error: unknown): Failure {
  const { name } = asking;
  if (error instanceof TooLong) {
    return unavailable(`${name} answers with more than ${error.megabytes} MB; ${CHECK_WHO}`);
  }
  const code = codeOf(error);
  const refusal = certificateFault(asking, code) ?? clientCertificateFault(asking, code);
  if (refusal !== undefined) return notPermitted(`${name} ${refusal}`);
  const known = CONNECTION_FAULTS.find(([codes]) => codes.test(code))?.[1];
  return unavailable(
    (known ?? '% broke off before it had answered; check whether it runs').replace('%', name),
  );
}

/** What codes of the system, of TLS and of HTTP mean, % being who was asked. */
const CONNECTION_FAULTS: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED$/, '% does not listen there; check the address, and whether it runs'],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, 'the name of % is not known here; check the URL and the name servers'],
  [
    /^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/,
    '% cannot be reached; check the address and the network',
  ],
  [
    /^(?:EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/,
    '% does not speak TLS; check the URL',
  ],
  [/^HPE_/, '% does not speak HTTP; check the URL'],
];

/** A certificate that was not made by who is trusted, is out of its time, or is of somebody else. */
function certificateFault({ credentials }: Asking, code: string): string | undefined {
  const { account } = credentials;
  const { ca } = account;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `has a certificate of another name; name the server as its certificate does, or give tls-server-name in ${account.from}`;
  }
  const untimely = outOfTime(code);
  if (untimely !== undefined || !isUntrusted(code)) return untimely;
  const trusted = ca === undefined ? 'an authority that is known here' : nameOf(ca, account);
  return `has a certificate that does not come from ${trusted}; name the authority of the cluster there`;
}

/** Alerts with which a TLS server refuses the certificate of who asks, or its absence. */
function clientCertificateFault({ credentials }: Asking, code: string): string | undefined {
  if (!/^ERR_SSL_.*ALERT/.test(code)) return undefined;
  const { account } = credentials;
  return account.client === undefined
    ? `speaks to nobody without a client certificate; add one to ${account.from}`
    : `does not accept the client certificate of ${nameOf(account.client.certificate, account)}; put one there that its cluster has issued`;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function unavailable(sentence: string): Failure {
  return new Failure(EXIT.unavailable, sentence);
}

function notPermitted(sentence: string): Failure {
  return new Failure(EXIT.notPermitted, sentence);
}
