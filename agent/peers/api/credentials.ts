import { X509Certificate } from 'node:crypto';
import type { RequestOptions } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { ApiAccess } from '../../../config/nodeqos/settings.ts';
import { EXIT, Failure } from '../../exit.ts';
import { readInputFile } from '../../observe/input-file.ts';
import { SERVICE_ACCOUNT_FOLDER } from '../service-account.ts';
import { type ApiAccount, type FileOrText, inClusterAccount } from './account.ts';
import { readKubeconfig } from './kubeconfig.ts';

/** What a request to the API server goes out with. */
export interface ApiCredentials {
  readonly account: ApiAccount;
  readonly headers: Readonly<Record<string, string>>;
  /** Certificates, key and the name that the server's certificate has to bear. */
  readonly tls: Pick<RequestOptions, 'ca' | 'cert' | 'key' | 'servername'>;
}

/** What says who asks whom. */
export interface CredentialSources {
  readonly access: Pick<ApiAccess, 'kubeconfig'>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the service account of a pod lies, unless it is where the kubelet puts it. */
  readonly serviceAccountFolder?: string;
}

/**
 * Reads what a request goes out with, all of it anew: tokens live for an hour or so, client certificates for some months, and whoever
 * renews them replaces the files. The client library keeps a token for a minute, so it is given the text, and puts it where it
 * belongs. Throws Failure: 66 for what is not there, 77 for what may not be read or used, 65 for what is something else.
 */
export async function readApiCredentials(sources: CredentialSources): Promise<ApiCredentials> {
  const account = accountOf(sources);
  const { token, ca, client, server, serverName } = account;
  const bearer = token === undefined ? undefined : tokenOf(token, account);
  const caText = ca === undefined ? undefined : textOf(ca);
  const certificate = client === undefined ? undefined : textOf(client.certificate);
  const key = client === undefined ? undefined : textOf(client.key);
  const { KubeConfig } = await import('./kube-config.ts');
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    {
      name: 'cluster',
      server,
      skipTLSVerify: false,
      ...(caText === undefined ? {} : { caData: base64(caText) }),
      ...(serverName === undefined ? {} : { tlsServerName: serverName }),
    },
    {
      name: 'user',
      ...(bearer === undefined ? {} : { token: bearer }),
      ...(certificate === undefined ? {} : { certData: base64(certificate) }),
      ...(key === undefined ? {} : { keyData: base64(key) }),
    },
  );
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  const { ca: trusted, cert, key: own, servername, headers } = options;
  const tls = Object.fromEntries(
    Object.entries({ ca: trusted, cert, key: own, servername }).filter(([, value]) => value !== undefined),
  ) as ApiCredentials['tls'];
  requireUsable(account, tls);
  return { account, headers: textHeaders(headers), tls };
}

function accountOf({ access, env, serviceAccountFolder }: CredentialSources): ApiAccount {
  const { kubeconfig } = access;
  if (kubeconfig === undefined) {
    return inClusterAccount(env, serviceAccountFolder ?? SERVICE_ACCOUNT_FOLDER);
  }
  return readKubeconfig(readInputFile(kubeconfig));
}

function textOf(source: FileOrText): string {
  return 'text' in source ? source.text : readInputFile(source.file).text;
}

function tokenOf(source: FileOrText, account: ApiAccount): string {
  const token = textOf(source).trim();
  // Anything else does not fit into a header.
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  const place = nameOf(source, account);
  throw new Failure(
    EXIT.badData,
    `${place} holds no token, which is one word; put the token of an account there`,
  );
}

/** Where something is from, for people. */
export function nameOf(source: FileOrText, account: ApiAccount): string {
  return 'file' in source ? source.file : account.from;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function textHeaders(headers: RequestOptions['headers']): Readonly<Record<string, string>> {
  const entries = Object.entries(headers ?? {}).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(entries) as Record<string, string>;
}

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Node.js passes over what it cannot read of an authority, and what it says of a damaged key may hold parts of it. */
function requireUsable(account: ApiAccount, tls: ApiCredentials['tls']): void {
  const { ca, client } = account;
  if (ca !== undefined && !areCertificates(String(tls.ca))) throw unusable(nameOf(ca, account), NO_AUTHORITY);
  if (client === undefined) return;
  try {
    createSecureContext({ cert: tls.cert, key: tls.key });
  } catch {
    const { certificate, key } = client;
    const places = [...new Set([nameOf(certificate, account), nameOf(key, account)])].join(' and ');
    throw unusable(places, 'no client certificate with its own key, in PEM and without a passphrase');
  }
}

function areCertificates(pem: string): boolean {
  const found = pem.match(PEM_CERTIFICATE) ?? [];
  try {
    return found.map((one) => new X509Certificate(one)).length > 0;
  } catch {
    return false;
  }
}

const NO_AUTHORITY = 'no certificate of an authority, in PEM';

function unusable(place: string, what: string): Failure {
  return new Failure(EXIT.badData, `${place}: there is ${what}, or it is damaged; put one there`);
}
