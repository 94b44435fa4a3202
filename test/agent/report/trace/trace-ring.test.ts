import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Observation } from '../../../../agent/model/observation.ts';
import { TraceRing } from '../../../../agent/report/trace/trace-ring.ts';
import { podOf } from '../../../fakes/pods.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nodeqos-ring-'));
  file = join(folder, 'state/trace.jsonl');
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const PODS = [podOf({ name: 'web', metadata: { uid: 'u1' } })];
const USAGE = new Map([['u1', { inodes: 1n }]]);

function at(atMs: number): Observation {
  return { atMs, readings: new Map(), pods: PODS, usage: USAGE, layout: 'single' };
}

const FULL_TAIL =
  '"signals":{},"pods":[{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"default","uid":"u1"},"spec":{"containers":[]},"status":{}}],"usage":{"u1":{"inodes":1}}}\n';
const full = (atMs: number): string => `{"atMs":${atMs},${FULL_TAIL}`;
const short = (atMs: number): string => `{"atMs":${atMs},"signals":{}}\n`;
/** Of a file with one full line and two short ones. */
const FILE_BYTES = full(1).length + 2 * short(2).length;

function ringOf(maxBytes = 1 << 20): TraceRing {
  return new TraceRing({ file, maxBytes: BigInt(maxBytes) });
}

function texts(): readonly (string | undefined)[] {
  return [file, `${file}.1`].map((path) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined));
}

describe('a ring of observations', () => {
  it('is a file in a folder that is made for it, which others may not read', () => {
    const ring = ringOf();
    expect([ring.write(at(1)), ring.write(at(2))]).toEqual([undefined, undefined]);
    expect(texts()).toEqual([full(1) + short(2), undefined]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('puts a file aside that is half of what is allowed, and begins the next with all that counts', () => {
    const ring = ringOf(2 * FILE_BYTES);
    for (const atMs of [1, 2, 3]) ring.write(at(atMs));
    expect(texts()).toEqual([full(1) + short(2) + short(3), undefined]);
    for (const atMs of [4, 5]) ring.write(at(atMs));
    expect(texts()).toEqual([full(4) + short(5), full(1) + short(2) + short(3)]);
    for (const atMs of [6, 7]) ring.write(at(atMs));
    expect(texts()).toEqual([full(7), full(4) + short(5) + short(6)]);
  });

  it('puts it aside one byte earlier where one byte less is allowed', () => {
    const ring = ringOf(2 * FILE_BYTES - 2);
    for (const atMs of [1, 2, 3]) ring.write(at(atMs));
    expect(texts()).toEqual([full(3), full(1) + short(2)]);
  });

  it('goes on with what a former run has written, with a line that holds everything', () => {
    ringOf().write(at(1));
    ringOf().write(at(2));
    expect(texts()).toEqual([full(1) + full(2), undefined]);
  });

  it.each([
    ['in the middle of a line', short(5).slice(0, 12)],
    ['at the end of a line', short(5).slice(0, -1)],
    ['in a line of a megabyte and more', `{"atMs":5,"x":"${'x'.repeat(3_000_000)}`],
  ])('leaves out what a former run was killed in, %s', (_, torn) => {
    ringOf(1 << 24).write(at(1));
    appendFileSync(file, torn);
    ringOf(1 << 24).write(at(9));
    expect(texts()).toEqual([full(1) + full(9), undefined]);
  });

  it('empties a file that holds a torn line only', () => {
    mkdirSync(join(folder, 'state'));
    writeFileSync(file, '{"atMs":5');
    ringOf().write(at(1));
    expect(texts()).toEqual([full(1), undefined]);
  });

  it.each([
    ['of a former boot', short(100)],
    ['of something else', 'hello\n'],
  ])('puts a file aside that is %s, since time would step back in it', (_, text) => {
    mkdirSync(join(folder, 'state'));
    writeFileSync(file, text);
    const ring = ringOf();
    ring.write(at(99));
    ring.write(at(100));
    expect(texts()).toEqual([full(99) + short(100), text]);
  });

  it('goes on in a file whose last line is of the same moment', () => {
    mkdirSync(join(folder, 'state'));
    writeFileSync(file, short(100));
    ringOf().write(at(100));
    expect(texts()).toEqual([short(100) + full(100), undefined]);
  });

  it('begins anew where somebody removed the file', () => {
    const ring = ringOf();
    ring.write(at(1));
    rmSync(file);
    ring.write(at(2));
    expect(texts()).toEqual([full(2), undefined]);
  });

  it('begins with everything after it was closed', () => {
    const ring = ringOf();
    ring.write(at(1));
    ring.close();
    ring.close();
    ring.write(at(2));
    expect(texts()).toEqual([full(1) + full(2), undefined]);
  });
});

describe('a ring that cannot be written', () => {
  it('says so, and is tried anew with the next observation', () => {
    writeFileSync(join(folder, 'state'), '');
    const ring = ringOf();
    const said = `${file}: this observation is not in the trace, since writing it failed (EEXIST)`;
    expect([ring.write(at(1)), ring.write(at(2))]).toEqual([said, said]);
    rmSync(join(folder, 'state'));
    expect(ring.write(at(3))).toBeUndefined();
    expect(texts()).toEqual([full(3), undefined]);
  });

  it('has no room for an observation that is larger than a file may be', () => {
    const bytes = full(1).length;
    expect(ringOf(2 * bytes).write(at(1))).toBeUndefined();
    rmSync(file);
    expect(ringOf(2 * bytes - 1).write(at(1))).toBe(
      `${file}: one observation of ${bytes} bytes does not fit into half of trace.maxBytes; raise it`,
    );
    expect(readFileSync(file, 'utf8')).toBe('');
  });

  it('on a full disk says so', () => {
    const ring = new TraceRing({ file: '/dev/full', maxBytes: 1n << 20n });
    expect(ring.write(at(1))).toBe(
      '/dev/full: this observation is not in the trace, since writing it failed (ENOSPC)',
    );
  });
});
