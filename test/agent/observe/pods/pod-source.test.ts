import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../../../agent/exit.ts';
import { failedRead, readInputFile } from '../../../../agent/observe/input-file.ts';
import { readPods } from '../../../../agent/observe/pods/pod-source.ts';
import type { FileTree } from '../../../../cgroup/file-tree.ts';

const MANIFEST = 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: etcd\n';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nodeqos-pods-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** The status and the sentence of what reading throws, the temporary folder as FOLDER. */
function failure(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [error.status, error.message.replaceAll(folder, 'FOLDER')];
  }
}

function names(source: string, nodeName?: string): readonly string[] {
  return readPods(source, undefined, nodeName).pods.map(({ name }) => name);
}

function warnings(source: string): readonly string[] {
  return readPods(source).warnings.map(
    ({ code, message }) => `${code}: ${message.replaceAll(folder, 'FOLDER')}`,
  );
}

describe('pods of a file', () => {
  it('are read by a bare path and by file:', () => {
    const path = write('pods.yaml', MANIFEST);
    expect(names(path)).toEqual(['etcd']);
    expect(names(`file:${path}`)).toEqual(['etcd']);
    expect(readPods(path).pods[0]?.isStatic).toBe(false);
  });

  it('are refused with 65 where they are malformed', () => {
    const path = write('pods.yaml', 'kind: Pod\n');
    expect(failure(() => readPods(path))).toEqual([
      65,
      'FOLDER/pods.yaml:1:1: metadata.name: a pod needs a name',
    ]);
  });

  it('are refused where the path is missing, a folder, or below a file', () => {
    const path = write('pods.yaml', MANIFEST);
    expect(failure(() => readPods(`${folder}/none`))).toEqual([
      66,
      'FOLDER/none: there is no such file; check the path',
    ]);
    expect(failure(() => readPods(folder))).toEqual([
      66,
      'FOLDER: this is a folder; name a file, or the folder of manifests as dir:FOLDER',
    ]);
    expect(failure(() => readInputFile(folder))).toEqual([
      66,
      'FOLDER: this is a folder; a file was expected',
    ]);
    expect(failure(() => readPods(`${path}/x`))).toEqual([
      66,
      'FOLDER/pods.yaml/x: there is no such file; a part of the path is not a folder',
    ]);
  });

  it('are refused with 64 where the path is empty', () => {
    for (const source of ['', 'file:', 'dir:']) {
      expect(failure(() => readPods(source))).toEqual([
        64,
        `--pods ${source}: a path is missing; give PATH, file:PATH or dir:PATH`,
      ]);
    }
  });

  it.each([
    ['kubelet:https://127.0.0.1:10250', 'a kubelet'],
    ['cri:/run/containerd/containerd.sock', 'a container runtime'],
    ['api', 'the API server'],
  ])('are not read from %s here, and need a file: 64', (source) => {
    expect(failure(() => readPods(source))).toEqual([
      64,
      `--pods ${source}: pods are read from files here; save them to one (kubectl get pods --all-namespaces -o json) and name that`,
    ]);
  });
});

describe('the failures of a file that cannot be read', () => {
  it.each([
    ['EACCES', 77, 'f: not permitted to read it; run as a user who may'],
    ['EPERM', 77, 'f: not permitted to read it; run as a user who may'],
    ['ERR_STRING_TOO_LONG', 65, 'f: the file is too long to be read; split it'],
    ['ERR_FS_FILE_TOO_LARGE', 65, 'f: the file is too long to be read; split it'],
    ['EIO', 74, 'f: reading it failed (EIO)'],
  ])('%s', (code, status, sentence) => {
    const { status: found, message } = failedRead('f', code);
    expect([found, message]).toEqual([status, sentence]);
  });

  it('end in 77 for a user who may not', () => {
    const path = write('secret.yaml', MANIFEST);
    chmodSync(path, 0o000);
    if (process.getuid?.() === 0) {
      // Root may read everything; another user is asked what the system says to it.
      chmodSync(folder, 0o755);
      const code = `try { require('fs').readFileSync(${JSON.stringify(path)}) } catch (e) { console.log(e.code) }`;
      const said = execFileSync(process.execPath, ['-e', code], { uid: 65534, gid: 65534, encoding: 'utf8' });
      expect(said).toBe('EACCES\n');
      return;
    }
    expect(failure(() => readInputFile(path))).toEqual([
      77,
      'FOLDER/secret.yaml: not permitted to read it; run as a user who may',
    ]);
  });
});

describe('pods of a manifest folder', () => {
  it('are the files directly in it by name, links to files among them, as static pods', async () => {
    write('b.yaml', MANIFEST.replace('etcd', 'second'));
    write('a.json', '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"first","namespace":"kube-system"}}');
    write('.hidden.yaml', MANIFEST);
    mkdirSync(join(folder, 'd.yaml'));
    writeFileSync(join(folder, 'd.yaml', 'below.yaml'), MANIFEST);
    mkdirSync(join(folder, '.real'));
    writeFileSync(join(folder, '.real', 'x'), MANIFEST.replace('etcd', 'linked'));
    symlinkSync('.real/x', join(folder, 'c'));
    symlinkSync('.real', join(folder, 'e'));
    symlinkSync('nowhere', join(folder, 'f'));
    const server = createServer().listen(join(folder, 'g.yaml'));
    await once(server, 'listening');

    const { pods, warnings: said } = readPods(`dir:${folder}`);
    server.close();
    expect(pods.map(({ namespace, name }) => `${namespace}/${name}`)).toEqual([
      'kube-system/first',
      'default/second',
      'default/linked',
    ]);
    expect(said).toEqual([]);
  });

  it('are static ones whatever the manifest says, and no taint drives them away', () => {
    const annotations =
      '  uid: my-own\n  annotations:\n    kubernetes.io/config.mirror: x\n    kubernetes.io/config.source: api\n';
    write('etcd.yaml', `${MANIFEST}${annotations}spec:\n  tolerations:\n  - key: k\n    operator: Exists\n`);
    const [pod] = readPods(`dir:${folder}`).pods;
    expect(pod).toMatchObject({ uid: 'my-own', cgroupUid: 'my-own', isStatic: true, isMirror: false });
    expect(pod?.tolerations).toEqual([
      { key: 'k', operator: 'Exists', value: '', effect: '' },
      { key: '', operator: 'Exists', value: '', effect: 'NoExecute' },
    ]);
    expect(pod).not.toHaveProperty('nodeName');
  });

  it('have no UID where the manifest gives none', () => {
    write('etcd.yaml', MANIFEST);
    const [pod] = readPods(`dir:${folder}`).pods;
    expect(pod).not.toHaveProperty('uid');
    expect(pod).not.toHaveProperty('cgroupUid');
  });

  it('are named after their node where it is known', () => {
    write('etcd.yaml', MANIFEST);
    const [pod] = readPods(`dir:${folder}`, undefined, 'Node-A').pods;
    expect([pod?.name, pod?.nodeName]).toEqual(['etcd-node-a', 'Node-A']);
    expect(names(`dir:${folder}`)).toEqual(['etcd']);
  });

  it('are the first document of each file', () => {
    write('two.yaml', `${MANIFEST}---\n${MANIFEST.replace('etcd', 'second')}`);
    expect(names(`dir:${folder}`)).toEqual(['etcd']);
  });

  it('leave out what is no Pod, each with one warning', () => {
    write('1-good.yaml', MANIFEST);
    write('2-empty.yaml', '');
    write('3-list.yaml', 'kind: PodList\napiVersion: v1\nitems: []\n');
    write('4-kindless.yaml', 'apiVersion: v1\n');
    write('5-nameless.yaml', 'kind: Pod\n');
    write('6-broken.yaml', 'a: [\n');
    write('7-long.yaml', `${MANIFEST}#${' '.repeat(10 * 1024 * 1024)}`);
    write('8-text', '- just\n- a list\n');
    expect(names(`dir:${folder}`)).toEqual(['etcd']);
    expect(warnings(`dir:${folder}//`)).toEqual([
      'manifest-left-out: left out of the manifests: FOLDER/2-empty.yaml: the file is empty',
      'manifest-left-out: left out of the manifests: FOLDER/3-list.yaml:1:1: kind: a manifest holds one Pod, not PodList',
      'manifest-left-out: left out of the manifests: FOLDER/4-kindless.yaml:1:1: kind: a manifest holds one Pod, not an object without kind',
      'manifest-left-out: left out of the manifests: FOLDER/5-nameless.yaml:1:1: metadata.name: a pod needs a name',
      expect.stringMatching(/^manifest-left-out: left out of the manifests: FOLDER\/6-broken\.yaml:/),
      'manifest-left-out: left out of the manifests: FOLDER/7-long.yaml: it is longer than the 10 MiB that the kubelet reads of a manifest',
      'manifest-left-out: left out of the manifests: FOLDER/8-text:1:1: expected a map, found a list',
    ]);
  });

  it('are refused where the folder is missing or a file', () => {
    const path = write('pods.yaml', MANIFEST);
    expect(failure(() => readPods(`dir:${folder}/none`))).toEqual([
      66,
      'FOLDER/none: there is no such folder; check the path after dir:',
    ]);
    expect(failure(() => readPods(`dir:${path}`))).toEqual([
      66,
      'FOLDER/pods.yaml: this is not a folder; name a file as file:FOLDER/pods.yaml',
    ]);
  });
});

/** A tree of a folder with one manifest, and files that the system does not give. */
class FakeRoot implements FileTree {
  readonly inodeOf = (): undefined => undefined;
  readonly nameOf = (path: string): string => `ROOT/${path}`;

  readFile(path: string): ReturnType<FileTree['readFile']> {
    if (path === 'etc/manifests/a.yaml') return { kind: 'read', text: MANIFEST };
    return path.endsWith('gone.yaml') ? { kind: 'missing' } : { kind: 'failed', code: 'EACCES' };
  }

  readDirectory(path: string): ReturnType<FileTree['readDirectory']> {
    if (path === 'etc/manifests') {
      return { kind: 'read', directories: [], files: ['a.yaml', 'gone.yaml', 'secret.yaml'] };
    }
    return { kind: 'failed', code: 'EACCES' };
  }
}

describe('pods inside a root', () => {
  it('are read through its tree; a manifest that cannot be read ends nothing', () => {
    const { pods, warnings: said } = readPods('dir:/etc/manifests', new FakeRoot());
    expect(pods.map(({ name }) => name)).toEqual(['etcd']);
    expect(said.map(({ message }) => message)).toEqual([
      'left out of the manifests: ROOT/etc/manifests/gone.yaml: it went away while it was read',
      'left out of the manifests: ROOT/etc/manifests/secret.yaml: not permitted to read it; run as a user who may',
    ]);
  });

  it('are refused where the folder may not be read', () => {
    expect(failure(() => readPods('dir:/root', new FakeRoot()))).toEqual([
      77,
      'ROOT/root: not permitted to read it; run as a user who may',
    ]);
    expect(failure(() => readPods('/pods.yaml', new FakeRoot()))).toEqual([
      77,
      'ROOT/pods.yaml: not permitted to read it; run as a user who may',
    ]);
  });
});
