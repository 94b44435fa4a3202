import { X509Certificate } from 'node:crypto';
import type { KubeletAccess } from '../../../config/nodeqos/settings.ts';
import { EXIT, Failure } from '../../exit.ts';
import { HOST_PATHS, type InputTree, readInputFile } from '../../observe/input-file.ts';
import { SERVICE_ACCOUNT_FOLDER } from '../service-account.ts';
import type { KubeletAddress } from './address.ts';

/** The files that count where the configuration names none. */
export interface KubeletFiles {
  readonly tree: InputTree;
  /** The service account of the pod that nodeqos runs in, if it runs in one. */
  readonly serviceAccountToken: string;
  readonly serviceAccountCa: string;
  /** What a kubelet of this machine made for itself, where nobody gave it a certificate (kubelet --cert-dir). */
  readonly ownCertificate: string;
}

/** The files of this machine. */
export const HOST_FILES: KubeletFiles = {
  tree: HOST_PATHS,
  serviceAccountToken: `${SERVICE_ACCOUNT_FOLDER}/token`,
  serviceAccountCa: `${SERVICE_ACCOUNT_FOLDER}/ca.crt`,
  ownCertificate: '/var/lib/kubelet/pki/kubelet.crt',
};

/** A bearer token, and where it is from: the file may be told, the token never. */
interface BearerToken {
  readonly token: string;
  readonly file: string;
}

/** What proves who asks, beside or in place of a token. */
interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
  readonly file: string;
  readonly keyFile: string;
}

/** What a question over TLS needs. */
export interface Credentials {
  readonly token?: BearerToken;
  readonly client?: ClientCertificate;
  /** PEM, one certificate each: whom the kubelet's own has to come from. Never empty. */
  readonly trusted: readonly string[];
  /** The files of `trusted`. */
  readonly trustedFiles: readonly string[];
}

/**
 * Reads what is needed to ask a kubelet over TLS. It is read for every question: a token lives for an hour or so, and whoever
 * renews it replaces the file. A named client certificate goes without a token, unless that is named too. Throws Failure: 66
 * for a named file that is not there and where no file says whom to trust, 77 for one that may not be read, 65 for one that
 * holds something else.
 */
export function readCredentials(
  access: KubeletAccess,
  address: KubeletAddress,
  files: KubeletFiles,
): Credentials {
  const client = clientCertificate(access, files);
  const token = client === undefined || access.tokenFile !== undefined ? bearer(access, files) : undefined;
  return {
    ...(token === undefined ? {} : { token }),
    ...(client === undefined ? {} : { client }),
    ...trustedCertificates(access, address, files),
  };
}

/** Whether there is anything to show to a kubelet that asks who wants to know: what it is worth, it will say. */
export function hasKubeletCredentials(
  access: KubeletAccess,
  { tree, serviceAccountToken } = HOST_FILES,
): boolean {
  const isNamed = access.tokenFile !== undefined || access.clientCertificateFile !== undefined;
  return isNamed || tree.readFile(serviceAccountToken).kind !== 'missing';
}

function bearer({ tokenFile }: KubeletAccess, files: KubeletFiles): BearerToken | undefined {
  const file = tokenFile ?? files.serviceAccountToken;
  const text = tokenFile === undefined ? textIfThere(file, files) : textOf('kubelet.tokenFile', file, files);
  if (text === undefined) return undefined;
  const token = text.trim();
  // Anything else would not fit a header, and may be another file of secrets.
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new Failure(
      EXIT.badData,
      `${file} holds no token, which is one word; name the file of one as kubelet.tokenFile`,
    );
  }
  return { token, file };
}

function clientCertificate(access: KubeletAccess, files: KubeletFiles): ClientCertificate | undefined {
  const { clientCertificateFile: file, clientKeyFile: keyFile } = access;
  if (file === undefined || keyFile === undefined) return undefined;
  const certificate = textOf('kubelet.clientCertificateFile', file, files);
  if (certificatesIn(certificate, file).length === 0) throw holdsNone(file, 'kubelet.clientCertificateFile');
  return { certificate, key: textOf('kubelet.clientKeyFile', keyFile, files), file, keyFile };
}

function trustedCertificates(
  { caFile }: KubeletAccess,
  address: KubeletAddress,
  files: KubeletFiles,
): Pick<Credentials, 'trusted' | 'trustedFiles'> {
  if (caFile !== undefined) {
    const trusted = certificatesIn(textOf('kubelet.caFile', caFile, files), caFile);
    if (trusted.length === 0) throw holdsNone(caFile, 'kubelet.caFile');
    return { trusted, trustedFiles: [caFile] };
  }
  // A kubelet signs for itself unless the cluster does: on its own machine both are as good as the folder they lie in.
  const usual = [files.serviceAccountCa, ...(address.isLoopback ? [files.ownCertificate] : [])];
  const found = usual.flatMap((file) => {
    const text = textIfThere(file, files);
    return text === undefined ? [] : [{ file, certificates: certificatesIn(text, file) }];
  });
  const trusted = found.flatMap(({ certificates }) => certificates);
  if (trusted.length > 0) return { trusted, trustedFiles: found.map(({ file }) => file) };
  const which = found.length === 0 ? 'is there' : 'holds a certificate';
  throw new Failure(
    EXIT.noInput,
    `nothing says which certificate the kubelet at ${address.text} may have: ${neither(usual)} ${which}; name the CA that signed it as kubelet.caFile`,
  );
}

function neither(files: readonly string[]): string {
  return files.length === 1 ? `no file ${files.join('')}` : `neither ${files.join(' nor ')}`;
}

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of a PEM file, which may hold a key as well. Throws Failure 65 for one that is damaged. */
function certificatesIn(text: string, file: string): readonly string[] {
  const found = text.match(PEM_CERTIFICATE) ?? [];
  for (const pem of found) {
    try {
      new X509Certificate(pem);
    } catch {
      throw new Failure(EXIT.badData, `${file} holds a certificate that cannot be read; make the file anew`);
    }
  }
  return found;
}

function holdsNone(file: string, setting: string): Failure {
  return new Failure(EXIT.badData, `${file} holds no certificate in PEM; name a file with one as ${setting}`);
}

function textIfThere(file: string, { tree }: KubeletFiles): string | undefined {
  return tree.readFile(file).kind === 'missing' ? undefined : readInputFile(file, tree).text;
}

function textOf(setting: string, file: string, { tree }: KubeletFiles): string {
  try {
    return readInputFile(file, tree).text;
  } catch (error) {
    if (error instanceof Failure) throw new Failure(error.status, `${setting}: ${error.message}`);
    throw error;
  }
}
