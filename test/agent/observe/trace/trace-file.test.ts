import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TraceLines, traceLines } from '../../../../agent/observe/trace/trace-file.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nodeqos-trace-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function allOf(parts: AsyncIterable<TraceLines>): Promise<readonly TraceLines[]> {
  const all: TraceLines[] = [];
  for await (const part of parts) all.push(part);
  return all;
}

async function partsOf(text: string | Buffer): Promise<readonly TraceLines[]> {
  const file = join(folder, 'trace.jsonl');
  writeFileSync(file, text);
  return allOf(traceLines(file));
}

describe('a trace', () => {
  it.each<[string, string, readonly string[], boolean]>([
    ['of nothing', '', [], false],
    ['of two lines', 'a\nb\n', ['a', 'b'], false],
    ['whose last line is not ended', 'a\nb', ['a', 'b'], true],
    ['of one line that is not ended', 'a', ['a'], true],
    ['with empty lines', '\n\na\n', ['', '', 'a'], false],
    ['of letters of several bytes', 'ä\n…\n', ['ä', '…'], false],
    [
      'with lines longer than a chunk',
      `${'x'.repeat(200_000)}\nb\n${'…'.repeat(99_999)}`,
      ['x'.repeat(200_000), 'b', '…'.repeat(99_999)],
      true,
    ],
  ])('%s', async (_, text, lines, isTorn) => {
    const parts = await partsOf(text);
    expect(parts.flatMap((part) => part.lines)).toEqual(lines);
    expect(parts.at(-1)?.isTorn ?? false).toBe(isTorn);
  });

  it('is numbered from 1, and says how much of it was read', async () => {
    const line = `${'x'.repeat(999)}\n`;
    const parts = await partsOf(line.repeat(200));
    let number = 1;
    let bytes = 0;
    for (const part of parts) {
      expect(part.firstNumber).toBe(number);
      expect(part.bytesRead).toBeGreaterThan(bytes);
      expect(part.bytesInAll).toBe(200_000);
      number += part.lines.length;
      bytes = part.bytesRead;
    }
    expect([number, bytes, parts.length > 1]).toEqual([201, 200_000, true]);
  });

  it('of a pipe has no length', async () => {
    // What is no regular file and can be read to its end without anybody at the other one.
    expect(await allOf(traceLines('/dev/null'))).toEqual([]);
  });
});

describe('a trace is refused', () => {
  const refusal = async (file: string): Promise<unknown> => {
    try {
      await allOf(traceLines(file));
      return 'it was read';
    } catch (error) {
      return error;
    }
  };

  it.each<[string, () => string, number, string]>([
    ['that is missing', () => join(folder, 'none'), 66, 'there is no such file; check the path'],
    ['that is a folder', () => folder, 66, 'this is a folder; give a trace, as nodeqos record writes it'],
    [
      'below what is no folder',
      () => '/dev/null/x',
      66,
      'there is no such file; a part of the path is not a folder',
    ],
  ])('%s', async (_, file, status, message) => {
    expect(await refusal(file())).toMatchObject({ status, message: `${file()}: ${message}` });
  });

  it('whose line does not end', async () => {
    expect(await refusal('/dev/zero')).toMatchObject({
      status: 65,
      message: '/dev/zero:1: the line is longer than 128 MB, so it is no observation; a trace has one a line',
    });
  });
});
