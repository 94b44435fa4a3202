import { isIPv6 } from 'node:net';
import { EXIT, Failure } from '../../exit.ts';
import { SERVICE_ACCOUNT_FOLDER } from '../service-account.ts';

/** Something that a file holds, or that is written where the file would be named. */
export type FileOrText = { readonly file: string } | { readonly text: string };

/** Which API server is asked, and as whom: what the configuration says, before any file is read for it. */
export interface ApiAccount {
  /** `https://HOST:PORT`, and the path below which its API is, without a slash at the end. */
  readonly server: string;
  /** What says so, for people: the path of a kubeconfig, or where the service account lies. */
  readonly from: string;
  /** PEM. Absent: the authorities that Node.js trusts. */
  readonly ca?: FileOrText;
  /** The name in the server's certificate, where it is not the host. */
  readonly serverName?: string;
  readonly token?: FileOrText;
  /** PEM. */
  readonly client?: { readonly certificate: FileOrText; readonly key: FileOrText };
}

/**
 * The account of the pod that this process runs in, from the variables that every container has. Only ever https: the token
 * must not go out in the clear, whatever port the cluster's service has. Throws Failure 66 outside of a pod.
 */
export function inClusterAccount(
  env: Readonly<Record<string, string | undefined>>,
  folder = SERVICE_ACCOUNT_FOLDER,
): ApiAccount {
  const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
  const port = env['KUBERNETES_SERVICE_PORT'] ?? '';
  if (host === '' || port === '') {
    const variables = 'KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set';
    throw new Failure(
      EXIT.noInput,
      `nothing says where the API server is: ${variables}, since this is no pod of a cluster; name a kubeconfig as api.kubeconfig`,
    );
  }
  const server = serverUrl(`https://${isIPv6(host) ? `[${host}]` : host}:${port}`);
  if (server === undefined) {
    const message =
      'KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are no host and port; name a kubeconfig as api.kubeconfig';
    throw new Failure(EXIT.badData, message);
  }
  return {
    server,
    from: folder,
    ca: { file: `${folder}/ca.crt` },
    token: { file: `${folder}/token` },
  };
}

/** The URL of a server without what does not belong there; undefined for one that is none, or that is not https. */
export function serverUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, username, password, host, pathname, search, hash } = new URL(text);
  const hasMore = username !== '' || password !== '' || search !== '' || hash !== '';
  return protocol !== 'https:' || host === '' || hasMore
    ? undefined
    : `https://${host}${pathname.replace(/\/+$/, '')}`;
}
