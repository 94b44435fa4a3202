import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXIT, Failure } from '../../../../agent/exit.ts';
import type { Pod } from '../../../../agent/model/pod.ts';
import { PodList } from '../../../../agent/observe/pods/pod-list.ts';
import { podOf } from '../../../fakes/pods.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nodeqos-pod-list-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** A list whose answers are told to it one after the other; a text is a Failure. */
function listOf(paths: readonly string[], ...answers: readonly (readonly Pod[] | string | undefined)[]) {
  const reads: number[] = [];
  const list = new PodList({
    paths,
    read: () => {
      const answer = answers[reads.length];
      reads.push(reads.length);
      if (typeof answer === 'string') throw new Failure(EXIT.badData, answer);
      return answer;
    },
  });
  return { list, reads };
}

const WEB = [podOf({ name: 'web' })];
const DB = [podOf({ name: 'db' })];

describe('PodList', () => {
  it('reads once as long as the file is the same', () => {
    const file = join(folder, 'pods.json');
    writeFileSync(file, 'one');
    const { list, reads } = listOf([file], WEB, DB);
    expect([list.look(0), list.look(1000), list.look(2000)]).toEqual([
      { pods: WEB, ageMs: 0 },
      { pods: WEB, ageMs: 0 },
      { pods: WEB, ageMs: 0 },
    ]);
    expect(reads).toHaveLength(1);
  });

  it.each<{ name: string; change: (file: string) => void }>([
    {
      name: 'is written',
      change: (file) => {
        writeFileSync(file, 'another text');
      },
    },
    {
      name: 'is replaced by another one of the same size',
      change: (file) => {
        writeFileSync(`${file}.new`, 'two');
        renameSync(`${file}.new`, file);
      },
    },
    {
      name: 'is removed',
      change: (file) => {
        rmSync(file);
      },
    },
  ])('reads again when the file $name', ({ change }) => {
    const file = join(folder, 'pods.json');
    writeFileSync(file, 'one');
    const { list } = listOf([file], WEB, DB);
    list.look(0);
    change(file);
    expect(list.look(10)).toEqual({ pods: DB, ageMs: 0 });
  });

  it.each<{ name: string; change: (manifests: string) => void }>([
    {
      name: 'a manifest comes',
      change: (manifests) => {
        writeFileSync(join(manifests, 'b.yaml'), 'b');
      },
    },
    {
      name: 'a manifest is changed',
      change: (manifests) => {
        writeFileSync(join(manifests, 'a.yaml'), 'changed');
      },
    },
    {
      name: 'a manifest goes',
      change: (manifests) => {
        rmSync(join(manifests, 'a.yaml'));
      },
    },
  ])('reads a folder again when $name', ({ change }) => {
    const manifests = join(folder, 'manifests');
    mkdirSync(manifests);
    writeFileSync(join(manifests, 'a.yaml'), 'a');
    const { list } = listOf([manifests], WEB, DB);
    list.look(0);
    change(manifests);
    expect(list.look(10).pods).toBe(DB);
  });

  it('reads when a file that was not there comes', () => {
    const file = join(folder, 'pods.json');
    const { list } = listOf([file], undefined, WEB);
    expect(list.look(0)).toEqual({ pods: undefined, ageMs: 0 });
    writeFileSync(file, 'one');
    expect(list.look(10).pods).toBe(WEB);
  });

  it('keeps the last good list, lets it grow old, and says why', () => {
    const file = join(folder, 'pods.json');
    writeFileSync(file, 'one');
    const { list } = listOf([file], WEB, 'pods.json:1:1: this is no list', DB);
    list.look(1000);
    writeFileSync(file, 'broken');
    expect([list.look(2000), list.look(7000)]).toEqual([
      { pods: WEB, ageMs: 1000, lack: 'pods.json:1:1: this is no list' },
      { pods: WEB, ageMs: 6000, lack: 'pods.json:1:1: this is no list' },
    ]);
    writeFileSync(file, 'good again');
    expect(list.look(8000)).toEqual({ pods: DB, ageMs: 0 });
  });

  it('has no age where no list was ever good', () => {
    const { list } = listOf([join(folder, 'pods.json')], 'it is not there');
    list.look(0);
    expect(list.look(9000)).toEqual({ pods: undefined, ageMs: 0, lack: 'it is not there' });
  });

  it('lets a bug through', () => {
    const list = new PodList({
      paths: [],
      read: () => {
        throw new TypeError('a bug');
      },
    });
    expect(() => list.look(0)).toThrow(TypeError);
  });
});
