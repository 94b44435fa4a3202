import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A certificate and its key, both as PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** Who a certificate is for. */
export interface CertificateOf {
  readonly commonName: string;
  /** In an API server: the groups of a user. */
  readonly organizations?: readonly string[];
  readonly use: 'server' | 'client';
  /** Such as `IP:127.0.0.1` and `DNS:localhost`, which are those of a server unless others are given. */
  readonly names?: readonly string[];
}

/** Makes real certificates, signed by an authority of its own that is there as long as the test runs. */
export class CertificateAuthority implements KeyPair {
  readonly certificate: string;
  readonly key: string;

  constructor(commonName = 'test-authority') {
    const { certificate, key } = made([`/CN=${commonName}`]);
    this.certificate = certificate;
    this.key = key;
  }

  issue(of: CertificateOf): KeyPair {
    const organizations = (of.organizations ?? []).map((organization) => `/O=${organization}`);
    const names = of.names ?? (of.use === 'server' ? ['IP:127.0.0.1', 'DNS:localhost'] : []);
    const extensions = [
      'basicConstraints=critical,CA:FALSE',
      `extendedKeyUsage=${of.use}Auth`,
      ...(names.length === 0 ? [] : [`subjectAltName=${names.join(',')}`]),
    ];
    return made([`${organizations.join('')}/CN=${of.commonName}`, ...extensions], this);
  }
}

function made([subject = '', ...extensions]: readonly string[], issuer?: KeyPair): KeyPair {
  const folder = mkdtempSync(join(tmpdir(), 'nodeqos-certificate-'));
  try {
    const place = (name: string): string => join(folder, name);
    const signed = issuer === undefined ? [] : ['-CA', place('ca.pem'), '-CAkey', place('ca.key')];
    if (issuer !== undefined) {
      writeFileSync(place('ca.pem'), issuer.certificate);
      writeFileSync(place('ca.key'), issuer.key, { mode: 0o600 });
    }
    const options = [
      ...[
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-noenc',
        '-days',
        '2',
      ],
      ...['-subj', subject, '-keyout', place('key'), '-out', place('pem'), ...signed],
      ...extensions.flatMap((extension) => ['-addext', extension]),
    ];
    execFileSync('openssl', options, { stdio: ['ignore', 'ignore', 'pipe'] });
    return {
      certificate: readFileSync(place('pem'), 'utf8'),
      key: readFileSync(place('key'), 'utf8'),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
