import { EXIT, Failure } from '../../exit.ts';
import { isUntrusted, outOfTime } from '../certificate-codes.ts';
import type { KubeletAddress } from './address.ts';
import type { Credentials } from './credentials.ts';
import { type Reply, TooLong } from './get.ts';

/** What was asked, for the sentences about what came of it. */
export interface Asked {
  readonly address: KubeletAddress;
  readonly path: KubeletPath;
  readonly credentials: Credentials | undefined;
}

/** What a kubelet is asked for. */
export type KubeletPath = '/pods' | '/stats/summary';

/**
 * The RBAC resource of each path (kubelet authorization; those of their own need the gate KubeletFineGrainedAuthz for pods,
 * which is on from 1.33).
 */
const RIGHTS = {
  '/pods': '"get" on nodes/pods, or on nodes/proxy before Kubernetes 1.33',
  '/stats/summary': '"get" on nodes/stats',
} as const;

/** The failure that an answer of another status than 200 is, and 200 with something else than JSON. */
export function answerFault(
  asked: Asked,
  { status, contentType, contentEncoding }: Reply,
): Failure | undefined {
  const { address, path } = asked;
  const who = nameOf(address);
  if (status === 401) return notAuthenticated(asked);
  if (status === 403) {
    return notPermitted(`${who} does not let nodeqos read ${path}; allow it ${RIGHTS[path]}`);
  }
  if (status >= 300 && status < 400) {
    return unavailable(
      `${who} answers ${path} with a redirect, which is not followed; name the kubelet itself`,
    );
  }
  if (status !== 200) return unavailable(`${who} ${statusFault(asked, status)}`);
  if (contentEncoding !== '' && contentEncoding !== 'identity') {
    return unavailable(`${who} answers ${path} packed, although nobody asked for that; ${CHECK_WHO}`);
  }
  return /^application\/json(?:\s*;|$)/i.test(contentType)
    ? undefined
    : unavailable(`${who} answers ${path} with something else than JSON; ${CHECK_WHO}`);
}

/** What a kubelet does that answers with another status than 200, where that is neither a redirect nor about who asks. */
function statusFault({ address, path }: Asked, status: number): string {
  if (status === 404) return `has no ${path}; check that a kubelet listens there`;
  if (status === 429) return `has too much to do to answer ${path}; it is to be asked again later`;
  return status === 400 && address.scheme === 'http'
    ? `does not understand the question for ${path}; check whether it wants https`
    : `failed to answer ${path} (status ${status}); its log says why`;
}

const CHECK_WHO = 'check that a kubelet listens there, and not something in front of it';

function notAuthenticated({ address, path, credentials }: Asked): Failure {
  const who = nameOf(address);
  if (credentials === undefined) {
    return notPermitted(
      `${who} wants to know who asks for ${path}, which is not told over http; name its https port (10250)`,
    );
  }
  const { token, client } = credentials;
  if (token !== undefined) {
    const remedy = 'name the file of one that the API server of its cluster has issued as kubelet.tokenFile';
    return notPermitted(`${who} does not accept the token of ${token.file}; ${remedy}`);
  }
  if (client !== undefined) {
    const remedy = "name one that the kubelet's clientCAFile has signed as kubelet.clientCertificateFile";
    return notPermitted(`${who} does not accept the client certificate of ${client.file}; ${remedy}`);
  }
  return notPermitted(
    `${who} wants to know who asks for ${path}; name a token as kubelet.tokenFile, or a client certificate as kubelet.clientCertificateFile`,
  );
}

/** The failure that lies behind what node:https, node:tls or the resolver rejected with. */
export function connectionFault(asked: Asked, error: unknown): Failure {
  const { address, path } = asked;
  const who = nameOf(address);
  if (error instanceof TooLong) {
    return unavailable(`${who} answers ${path} with more than ${error.megabytes} MB; ${CHECK_WHO}`);
  }
  const code = codeOf(error);
  const sentence = certificateFault(asked, error, code) ?? clientCertificateFault(asked, code);
  if (sentence !== undefined) return notPermitted(`${who} ${sentence}`);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    const remedy = 'check the URL, or name an address';
    return unavailable(`the name ${address.host} of the kubelet is not known here; ${remedy}`);
  }
  const known = NOT_CONNECTED.find(([codes]) => codes.test(code));
  return unavailable(
    known === undefined
      ? `${who} broke off before ${path} was answered; check whether the kubelet runs`
      : `${who} ${known[1]}`,
  );
}

/** What the system, OpenSSL and Node's HTTP parser say of a connection on which nobody answers as a kubelet would. */
const NOT_CONNECTED: readonly (readonly [codes: RegExp, sentence: string])[] = [
  [/^ECONNREFUSED$/, 'does not listen there; check the URL, and whether the kubelet runs'],
  [
    /^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/,
    'cannot be reached; check the URL and the network',
  ],
  [
    /^(?:EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/,
    'does not speak TLS; check the URL, and whether it wants http',
  ],
  [/^HPE_/, 'does not speak HTTP; check the URL'],
];

/** A certificate that was not made by who is trusted, is out of its time, or is of somebody else. */
function certificateFault({ credentials }: Asked, error: unknown, code: string): string | undefined {
  const trusted = credentials?.trustedFiles.join(' or ') ?? '';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `has a certificate of another name${namesOf(error)}; name the one that it has to bear as kubelet.serverName`;
  }
  const untimely = outOfTime(code);
  if (untimely !== undefined || !isUntrusted(code)) return untimely;
  return `has a certificate that does not come from ${trusted}; name the CA that signed it as kubelet.caFile: that of the cluster, or /var/lib/kubelet/pki/kubelet.crt of the kubelet's machine where it signs for itself`;
}

/** Alerts with which a TLS server refuses the certificate of who asks, or its absence. */
function clientCertificateFault({ credentials }: Asked, code: string): string | undefined {
  if (!/^ERR_SSL_.*ALERT/.test(code)) return undefined;
  const client = credentials?.client;
  return client === undefined
    ? 'speaks to nobody without a client certificate; name one as kubelet.clientCertificateFile'
    : `does not accept the client certificate of ${client.file}; name one that the kubelet's clientCAFile has signed as kubelet.clientCertificateFile`;
}

/** ` (node-1, 10.0.0.7)`: the names that the certificate bears. They are of a peer that nobody trusts yet. */
function namesOf(error: unknown): string {
  const certificate = error instanceof Error && 'cert' in error ? error.cert : undefined;
  const stated =
    typeof certificate === 'object' && certificate !== null && 'subjectaltname' in certificate
      ? certificate.subjectaltname
      : undefined;
  if (typeof stated !== 'string') return '';
  const names = [...stated.matchAll(/(?:DNS|IP Address):([A-Za-z0-9.:*_-]{1,253})(?=,|$)/g)].map(
    ([, name = '']) => name,
  );
  return names.length === 0 ? '' : ` (${names.slice(0, 5).join(', ')})`;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** How people know a kubelet. */
export function nameOf({ text }: KubeletAddress): string {
  return `the kubelet at ${text}`;
}

function unavailable(sentence: string): Failure {
  return new Failure(EXIT.unavailable, sentence);
}

function notPermitted(sentence: string): Failure {
  return new Failure(EXIT.notPermitted, sentence);
}
