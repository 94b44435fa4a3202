import { chmodSync, mkdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Failure } from '../../../../agent/exit.ts';
import { HOST_PATHS } from '../../../../agent/observe/input-file.ts';
import { kubeletAddress } from '../../../../agent/peers/kubelet/address.ts';
import { hasKubeletCredentials, readCredentials } from '../../../../agent/peers/kubelet/credentials.ts';
import type { KubeletAccess } from '../../../../config/nodeqos/settings.ts';
import { KubeletScene, never, refusalOf, TOKEN } from '../../../fakes/kubelet-scene.ts';

const HERE = kubeletAddress('https://127.0.0.1:10250');
const ELSEWHERE = kubeletAddress('https://10.0.0.7:10250');

let scene: KubeletScene;
beforeAll(() => {
  scene = new KubeletScene();
});
afterAll(() => {
  scene.remove();
});

function read(access: Partial<KubeletAccess>, address = HERE, files = scene.files) {
  return readCredentials({ deadlineMs: 1, ...access }, address, files);
}

/** As a pod has them that runs on the machine of a kubelet that signs for itself. */
function usualFiles() {
  const own = scene.authority.certificate;
  for (const folder of ['usual', 'usual/account', 'usual/pki'])
    mkdirSync(scene.path(folder), { recursive: true });
  return {
    tree: HOST_PATHS,
    serviceAccountToken: scene.write('usual/account/token', TOKEN),
    serviceAccountCa: scene.write('usual/account/ca.crt', own),
    ownCertificate: scene.write('usual/pki/kubelet.crt', own),
  };
}

describe('what a kubelet is asked with', () => {
  it('is the token and the CA that are named', () => {
    const [caFile, tokenFile] = [scene.path('ca.crt'), scene.path('token')];
    expect(read({ caFile, tokenFile })).toEqual({
      token: { token: TOKEN, file: tokenFile },
      trusted: [scene.authority.certificate.trim()],
      trustedFiles: [caFile],
    });
  });

  it('is the service account where none are named, and the own certificate of the kubelet on this machine only', () => {
    const files = usualFiles();
    const token = { token: TOKEN, file: files.serviceAccountToken };
    const certificate = scene.authority.certificate.trim();
    expect(read({}, HERE, files)).toEqual({
      token,
      trusted: [certificate, certificate],
      trustedFiles: [files.serviceAccountCa, files.ownCertificate],
    });
    expect(read({}, ELSEWHERE, files)).toEqual({
      token,
      trusted: [certificate],
      trustedFiles: [files.serviceAccountCa],
    });
  });

  it('is a client certificate without the token of the service account', () => {
    const files = usualFiles();
    const pair = scene.authority.issue({ commonName: 'nodeqos', use: 'client' });
    // As the kubelet keeps its own: both in one file.
    const file = scene.write('client.pem', pair.certificate + pair.key);
    const access = { clientCertificateFile: file, clientKeyFile: file };
    const both = pair.certificate + pair.key;
    const client = { certificate: both, key: both, file, keyFile: file };
    expect(read(access, ELSEWHERE, files)).toMatchObject({ client });
    expect(read(access, ELSEWHERE, files).token).toBeUndefined();
    expect(read({ ...access, tokenFile: scene.path('token') }, ELSEWHERE, files).token?.token).toBe(TOKEN);
  });

  it('is there or not, as files and settings have it', () => {
    const { files } = scene;
    expect(hasKubeletCredentials({ deadlineMs: 1 }, files)).toBe(false);
    expect(hasKubeletCredentials({ deadlineMs: 1 }, usualFiles())).toBe(true);
    expect(hasKubeletCredentials({ deadlineMs: 1, tokenFile: '/t' }, files)).toBe(true);
    expect(hasKubeletCredentials({ deadlineMs: 1, clientCertificateFile: '/c' }, files)).toBe(true);
  });
});

describe('credentials that are none', () => {
  const ca = (): string => scene.path('ca.crt');

  it.each(['tokenFile', 'caFile'] as const)('66: %s names a file that is not there', (setting) => {
    const path = scene.path('nowhere');
    expect(() => read({ caFile: ca(), [setting]: path })).toThrow(
      new Failure(66, `kubelet.${setting}: ${path}: there is no such file; check the path`),
    );
  });

  it('66: the files of a client certificate', () => {
    const path = scene.path('nowhere');
    const missing = (setting: string): Failure =>
      new Failure(66, `kubelet.${setting}: ${path}: there is no such file; check the path`);
    expect(() => read({ clientCertificateFile: path, clientKeyFile: path })).toThrow(
      missing('clientCertificateFile'),
    );
    expect(() => read({ clientCertificateFile: ca(), clientKeyFile: path })).toThrow(
      missing('clientKeyFile'),
    );
  });

  it.skipIf(process.getuid?.() === 0)('77: a token that may not be read', () => {
    const tokenFile = scene.write('hidden', TOKEN);
    chmodSync(tokenFile, 0);
    expect(() => read({ caFile: ca(), tokenFile })).toThrow(
      new Failure(77, `kubelet.tokenFile: ${tokenFile}: not permitted to read it; run as a user who may`),
    );
  });

  it('77: a tree that lets nobody read', () => {
    const failed = { kind: 'failed', code: 'EACCES' } as const;
    const files = { ...scene.files, tree: { ...HOST_PATHS, readFile: () => failed } };
    const path = files.serviceAccountToken;
    expect(() => read({}, HERE, files)).toThrow(
      new Failure(77, `${path}: not permitted to read it; run as a user who may`),
    );
  });

  it.each([
    ['is empty, as it is for a moment while it is replaced', ''],
    ['holds several words', 'secret one\nsecret two'],
    ['holds what no header can', 'secr\u00e9t'],
  ])('65: the file of a token %s', (_, text) => {
    const tokenFile = scene.write('odd-token', text);
    const message = `${tokenFile} holds no token, which is one word; name the file of one as kubelet.tokenFile`;
    expect(() => read({ caFile: ca(), tokenFile })).toThrow(new Failure(65, message));
  });

  it('65: a CA file without a certificate, or with one that is damaged', () => {
    const key = scene.write('key.pem', scene.serving.key);
    expect(() => read({ caFile: key })).toThrow(
      new Failure(65, `${key} holds no certificate in PEM; name a file with one as kubelet.caFile`),
    );
    expect(() => read({ clientCertificateFile: key, clientKeyFile: key })).toThrow(
      new Failure(
        65,
        `${key} holds no certificate in PEM; name a file with one as kubelet.clientCertificateFile`,
      ),
    );
    const damaged = scene.write(
      'bad.pem',
      scene.authority.certificate.replace(/M[A-Za-z0-9]{9}/, 'AAAAAAAAAA'),
    );
    expect(() => read({ caFile: damaged })).toThrow(
      new Failure(65, `${damaged} holds a certificate that cannot be read; make the file anew`),
    );
  });

  it('65: a key of another certificate', async () => {
    const pair = scene.authority.issue({ commonName: 'nodeqos', use: 'client' });
    const certificate = scene.write('one.pem', pair.certificate);
    const key = scene.write('other.key', scene.serving.key);
    const access = { clientCertificateFile: certificate, clientKeyFile: key };
    expect(await refusalOf(scene.client('https://127.0.0.1:9', access).get('/pods', never()))).toEqual([
      65,
      `${certificate} and ${key} make no client certificate; name a certificate and its own key, in PEM and without a passphrase`,
    ]);
  });

  it('66: nobody says whom to trust', () => {
    const { serviceAccountCa, ownCertificate } = scene.files;
    const why = (address: string, files: string): Failure =>
      new Failure(
        66,
        `nothing says which certificate the kubelet at ${address} may have: ${files} is there; name the CA that signed it as kubelet.caFile`,
      );
    expect(() => read({})).toThrow(why(HERE.text, `neither ${serviceAccountCa} nor ${ownCertificate}`));
    expect(() => read({}, ELSEWHERE)).toThrow(why(ELSEWHERE.text, `no file ${serviceAccountCa}`));
  });

  it('66: those who would say it say nothing', () => {
    const files = { ...usualFiles(), ownCertificate: '/nowhere' };
    scene.write('usual/account/ca.crt', '# nothing yet\n');
    expect(() => read({}, ELSEWHERE, files)).toThrow(
      new Failure(
        66,
        `nothing says which certificate the kubelet at ${ELSEWHERE.text} may have: no file ${files.serviceAccountCa} holds a certificate; name the CA that signed it as kubelet.caFile`,
      ),
    );
  });
});
