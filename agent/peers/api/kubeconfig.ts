import { dirname, resolve } from 'node:path';
import { formatFinding, type TextFile } from '../../../config/finding.ts';
import { type KeyPath, readFirstDocument, type StructuredDocument } from '../../../config/text/document.ts';
import { EXIT, type ExitStatus, Failure } from '../../exit.ts';
import { FieldFault, Fields } from '../../observe/fields.ts';
import { type ApiAccount, type FileOrText, serverUrl } from './account.ts';

/**
 * Reads what the current context of a kubeconfig says. What would run a command, ask another host, or leave the server's
 * certificate unchecked is refused (77); what is malformed, with its place (65). No sentence repeats a value of the file but
 * names: the others are secrets, or may be. Relative paths are beside the file.
 */
export function readKubeconfig(input: TextFile): ApiAccount {
  const { document, root } = rootOf(input);
  try {
    return new Kubeconfig(input.file, root).account();
  } catch (error) {
    if (error instanceof Unusable) throw at(input.file, document, error, error.status);
    if (error instanceof FieldFault) throw at(input.file, document, error, EXIT.badData);
    throw error;
  }
}

/** A part that is there and does not do. */
class Unusable extends FieldFault {
  readonly status: ExitStatus;

  constructor(status: ExitStatus, path: KeyPath, message: string) {
    super(path, message);
    this.status = status;
  }
}

interface KubeconfigRoot {
  readonly document: StructuredDocument;
  readonly root: Fields;
}

const WANTED = 'name a kubeconfig, as kubectl writes it, as api.kubeconfig';

function rootOf(input: TextFile): KubeconfigRoot {
  const reading = readFirstDocument(input);
  if ('finding' in reading) {
    // What the parser says may repeat a part of the text.
    const message = `this is no YAML; ${WANTED}`;
    throw new Failure(EXIT.badData, formatFinding({ ...reading.finding, path: '', message }));
  }
  const { document } = reading;
  if (document === undefined) throw new Failure(EXIT.badData, `${input.file}: the file is empty; ${WANTED}`);
  try {
    return { document, root: new Fields(document.value) };
  } catch (error) {
    if (!(error instanceof FieldFault)) throw error;
    throw new Failure(EXIT.badData, `${input.file}: ${error.message}; ${WANTED}`);
  }
}

function at(file: string, document: StructuredDocument, fault: FieldFault, status: ExitStatus): Failure {
  const path = fault.path.reduce<string>(
    (text, part) =>
      typeof part === 'number' ? `${text}[${part}]` : `${text}${text === '' ? '' : '.'}${part}`,
    '',
  );
  return new Failure(
    status,
    formatFinding({ file, ...document.placeOf(fault.path), path, message: fault.message }),
  );
}

/** Ways to say who asks that are not gone, and why. */
const REFUSED_OF_USER: readonly (readonly [string, string])[] = [
  [
    'exec',
    'gets credentials from a command, and nodeqos runs none; use a token file or a client certificate',
  ],
  ['auth-provider', 'gets credentials from another host; use a token file or a client certificate'],
  ['username', 'is a password, which no API server takes; use a token file or a client certificate'],
  ['password', 'is a password, which no API server takes; use a token file or a client certificate'],
  ['as', 'is somebody else, and nodeqos asks only as itself; give this user what it needs'],
  ['as-uid', 'is somebody else, and nodeqos asks only as itself; give this user what it needs'],
  ['as-groups', 'is somebody else, and nodeqos asks only as itself; give this user what it needs'],
  ['as-user-extra', 'is somebody else, and nodeqos asks only as itself; give this user what it needs'],
];

/** One kubeconfig with its lists of named things. */
class Kubeconfig {
  readonly #file: string;
  readonly #root: Fields;

  constructor(file: string, root: Fields) {
    this.#file = file;
    this.#root = root;
  }

  account(): ApiAccount {
    const current = this.#root.text('current-context');
    if (current === undefined) {
      throw new FieldFault(
        ['current-context'],
        'no context is current; choose one with kubectl config use-context',
      );
    }
    const context = this.#named('contexts', 'context', current);
    const cluster = this.#named('clusters', 'cluster', required(context, 'cluster'));
    const user = this.#named('users', 'user', required(context, 'user'));
    return { from: this.#file, ...this.#clusterParts(cluster), ...this.#userParts(user) };
  }

  #named(list: string, key: string, name: string): Fields {
    const found = this.#root.maps(list).find((item) => item.text('name') === name);
    if (found === undefined)
      throw new FieldFault([list], `there is none of the name ${JSON.stringify(name)}`);
    return found.map(key);
  }

  #clusterParts(cluster: Fields): Pick<ApiAccount, 'server' | 'ca' | 'serverName'> {
    if (cluster.flag('insecure-skip-tls-verify') === true) {
      const message =
        'leaves the certificate of the server unchecked; name its authority as certificate-authority';
      throw new Unusable(EXIT.notPermitted, [...cluster.path, 'insecure-skip-tls-verify'], message);
    }
    if (cluster.text('proxy-url') !== undefined) {
      const message = 'goes through a proxy, and nodeqos asks the API server itself; name the server alone';
      throw new Unusable(EXIT.notPermitted, [...cluster.path, 'proxy-url'], message);
    }
    const stated = required(cluster, 'server');
    if (/^http:/i.test(stated)) {
      const message = 'is not https, so that credentials would go out in the clear; name the https port';
      throw new Unusable(EXIT.notPermitted, [...cluster.path, 'server'], message);
    }
    const server = serverUrl(stated);
    if (server === undefined) {
      throw new FieldFault([...cluster.path, 'server'], 'is no URL of a server; give https://HOST:PORT');
    }
    const ca = this.#fileOrData(cluster, 'certificate-authority');
    const serverName = cluster.text('tls-server-name');
    return {
      server,
      ...(ca === undefined ? {} : { ca }),
      ...(serverName === undefined ? {} : { serverName }),
    };
  }

  #userParts(user: Fields): Pick<ApiAccount, 'token' | 'client'> {
    for (const [key, why] of REFUSED_OF_USER) {
      if (user.has(key)) throw new Unusable(EXIT.notPermitted, [...user.path, key], why);
    }
    // As kubectl has it: a file wins, since what is written down beside it is what the file held once.
    const tokenFile = user.text('tokenFile');
    const text = user.text('token');
    const named = tokenFile === undefined ? undefined : { file: this.#beside(tokenFile) };
    const token = named ?? (text === undefined ? undefined : { text });
    const client = this.#clientOf(user);
    if (token === undefined && client === undefined) {
      throw new FieldFault(user.path, 'has neither a token nor a client certificate; give it one of them');
    }
    return { ...(token === undefined ? {} : { token }), ...(client === undefined ? {} : { client }) };
  }

  #clientOf(user: Fields): ApiAccount['client'] {
    const certificate = this.#fileOrData(user, 'client-certificate');
    const key = this.#fileOrData(user, 'client-key');
    if (certificate !== undefined && key !== undefined) return { certificate, key };
    if (certificate === key) return undefined;
    const lacking = certificate === undefined ? 'client-certificate' : 'client-key';
    throw new FieldFault([...user.path, lacking], 'is not there, and certificate and key go together');
  }

  /** As kubectl has it: what is written in the file wins over the file that is named. */
  #fileOrData(fields: Fields, key: string): FileOrText | undefined {
    const data = fields.text(`${key}-data`);
    if (data !== undefined) {
      if (!/^[A-Za-z0-9+/\s]+=*\s*$/.test(data)) {
        throw new FieldFault([...fields.path, `${key}-data`], 'is not base64; write the configuration anew');
      }
      return { text: Buffer.from(data, 'base64').toString('utf8') };
    }
    const file = fields.text(key);
    return file === undefined ? undefined : { file: this.#beside(file) };
  }

  #beside(path: string): string {
    return resolve(dirname(this.#file), path);
  }
}

function required(fields: Fields, key: string): string {
  const value = fields.text(key);
  if (value === undefined)
    throw new FieldFault([...fields.path, key], 'is missing; the current context needs it');
  return value;
}
