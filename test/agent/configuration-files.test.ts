import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../agent/exit.ts';
import {
  type ConfigurationTexts,
  readKubeletFiles,
  readNodeQosFiles,
} from '../../agent/observe/configuration-files.ts';
import { diskTree } from '../../cgroup/disk/disk-tree.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'nodeqos-files-'));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

function write(path: string, text = path): string {
  const file = join(root, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** The names below the test's folder, the main file first. */
function names({ main, dropIns }: ConfigurationTexts): readonly string[] {
  return [main?.file ?? '-', ...dropIns.map(({ file }) => file)].map((file) => file.replace(`${root}/`, ''));
}

function refusal(read: () => unknown): readonly [number, string] {
  try {
    read();
  } catch (error) {
    if (error instanceof Failure) {
      return [error.status, error.message.replaceAll(root, 'ROOT')];
    }
    throw error;
  }
  throw new Error('nothing was refused');
}

const PLACES = { file: '/var/lib/kubelet/config.yaml' };

describe('the files of the KubeletConfiguration', () => {
  it("are the root's own where nothing is named", () => {
    const tree = diskTree(root);
    expect(readKubeletFiles({ root: tree }, PLACES)).toEqual({ dropIns: [] });
    const file = write('var/lib/kubelet/config.yaml', 'text');
    expect(readKubeletFiles({ root: tree }, PLACES)).toEqual({ main: { file, text: 'text' }, dropIns: [] });
  });

  it('are none offline where nothing is named', () => {
    expect(readKubeletFiles({}, PLACES)).toEqual({ dropIns: [] });
  });

  it('are those that nodeqos.yaml names, inside the root', () => {
    write('a/k.yaml');
    write('a/k.d/2.conf');
    write('a/k.d/10.conf');
    write('a/k.d/3.yaml');
    const places = { file: '/a/k.yaml', dropInDir: '/a/k.d' };
    expect(names(readKubeletFiles({ root: diskTree(root) }, places))).toEqual([
      'a/k.yaml',
      'a/k.d/10.conf',
      'a/k.d/2.conf',
    ]);
    expect(names(readKubeletFiles({ root: diskTree(root) }, { ...places, dropInDir: '/none' }))).toEqual([
      'a/k.yaml',
    ]);
  });

  it('are those that the command line names, subfolders in the order of the walk', () => {
    const kubeletConfig = write('k.yaml');
    write('d/20.conf');
    write('d/10/z.conf');
    write('d/10/a.conf');
    write('d/30/b.yaml');
    const options = { root: diskTree(root), kubeletConfig, kubeletConfigDir: join(root, 'd') };
    expect(names(readKubeletFiles(options, PLACES))).toEqual([
      'k.yaml',
      'd/10/a.conf',
      'd/10/z.conf',
      'd/20.conf',
    ]);
  });

  it('follow symbolic links to files, as a mounted ConfigMap has them', () => {
    write('real/x', 'text');
    mkdirSync(join(root, 'd'));
    symlinkSync('../real/x', join(root, 'd/10.conf'));
    expect(
      readKubeletFiles({ kubeletConfigDir: join(root, 'd') }, PLACES).dropIns.map(({ text }) => text),
    ).toEqual(['text']);
  });

  it('are refused where they are named and not there, or are folders', () => {
    mkdirSync(join(root, 'folder'));
    const none = join(root, 'none');
    expect(refusal(() => readKubeletFiles({ kubeletConfig: none }, PLACES))).toEqual([
      66,
      'ROOT/none: there is no such file; check the path',
    ]);
    expect(refusal(() => readKubeletFiles({ kubeletConfigDir: none }, PLACES))).toEqual([
      66,
      'ROOT/none: there is no such folder; check the path',
    ]);
    expect(refusal(() => readKubeletFiles({ kubeletConfig: join(root, 'folder') }, PLACES))).toEqual([
      66,
      'ROOT/folder: this is a folder; a file was expected',
    ]);
    expect(refusal(() => readKubeletFiles({ root: diskTree(root) }, { file: '/folder' }))[0]).toBe(66);
  });
});

describe('the files of nodeqos.yaml', () => {
  it("are the root's own, with the folder beside it in name order", () => {
    expect(readNodeQosFiles({ root: diskTree(root) })).toEqual({ dropIns: [] });
    write('etc/nodeqos/nodeqos.yaml.d/20.yaml');
    write('etc/nodeqos/nodeqos.yaml.d/10.yaml');
    write('etc/nodeqos/nodeqos.yaml.d/15.conf');
    write('etc/nodeqos/nodeqos.yaml.d/sub/1.yaml');
    expect(names(readNodeQosFiles({ root: diskTree(root) }))).toEqual([
      '-',
      'etc/nodeqos/nodeqos.yaml.d/10.yaml',
      'etc/nodeqos/nodeqos.yaml.d/20.yaml',
    ]);
    write('etc/nodeqos/nodeqos.yaml');
    expect(names(readNodeQosFiles({ root: diskTree(root) }))[0]).toBe('etc/nodeqos/nodeqos.yaml');
  });

  it('are the named one and the folder beside that', () => {
    const config = write('my.yaml');
    write('my.yaml.d/1.yaml');
    write('etc/nodeqos/nodeqos.yaml');
    expect(names(readNodeQosFiles({ root: diskTree(root), config }))).toEqual([
      'my.yaml',
      'my.yaml.d/1.yaml',
    ]);
  });

  it('are none offline where none is named, and refused where the named one is missing', () => {
    expect(readNodeQosFiles({})).toEqual({ dropIns: [] });
    expect(refusal(() => readNodeQosFiles({ config: join(root, 'none') }))[0]).toBe(66);
  });
});
