import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { fold } from '../../../agent/cli/console/folded-io.ts';
import type { Io } from '../../../agent/cli/console/io.ts';
import { demoCommand } from '../../../agent/cli/demo.ts';
import { runProgram } from '../../../agent/cli/program.ts';
import { RecordingIo } from '../../fakes/recording-io.ts';

const nothing = {} as never;

/** Folders of demos of this process: others may tell theirs at the same time. */
function leftovers(stdout: string): string[] {
  const [, folder = ''] = /NODE=\S+\/(nodeqos-demo-[^/]+)\/node/.exec(stdout) ?? [];
  expect(folder).not.toBe('');
  return ['/dev/shm', tmpdir()].flatMap((place) => readdirSync(place)).filter((name) => name === folder);
}

describe('the demo', () => {
  it('tells its whole story within 100 columns and cleans up', async () => {
    const io = new RecordingIo();
    expect(await runProgram(['demo'], io)).toBe(0);
    const titles = [...io.stdout.matchAll(/^(\d+)\. .*\n-+$/gm)].map(([, number]) => number);
    expect(titles).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10']);
    const lines = `${io.stdout}${io.stderr}`.split('\n');
    expect(lines.filter((line) => line.length > 100 && !line.includes('NODE='))).toEqual([]);
    expect(leftovers(io.stdout)).toEqual([]);
  });

  it('shows the numbers of the story: memory.high of a pod, an empty second plan, a threshold met, who goes', async () => {
    const io = new RecordingIo();
    await runProgram(['demo'], io);
    expect(io.stdout).toContain('max -> 993210368');
    expect(io.stdout).toContain('floor_page(268435456 + 0.9 x (1073741824 - 268435456))');
    expect(io.stdout).toMatch(/-o diff --check\n\n\n5\. /);
    expect(io.stdout).toMatch(/^memory\.available .* hard 400Mi .* MET$/m);
    expect(io.stdout).toMatch(/^ 1 {2}data\/nightly-report-q7d2x /m);
    expect(io.stdout).toMatch(/993210368 -> max/);
  });

  it('ends tidily where it is interrupted', async () => {
    const io = new RecordingIo();
    const command = demoCommand(async (argv, inner: Io) => {
      const status = await runProgram(argv, inner);
      if (argv[0] === 'apply') io.stop.abort('SIGINT');
      return status;
    });
    expect(await command.run(nothing, io)).toBe(1);
    expect(io.stdout).toContain('\n3. ');
    expect(io.stdout).not.toContain('\n4. ');
    expect(io.stderr).toContain('Stopped. The fake node is gone.');
    expect(leftovers(io.stdout)).toEqual([]);
  });

  it('cleans up and says where it ended if a command fails', async () => {
    const io = new RecordingIo();
    const command = demoCommand((argv, inner) =>
      argv[0] === 'status' ? Promise.resolve(74) : runProgram(argv, inner),
    );
    await expect(command.run(nothing, io)).rejects.toThrow(
      /^the demo ended at "nodeqos status .*", which gave status 74$/,
    );
    expect(leftovers(io.stdout)).toEqual([]);
  });
});

describe('a line', () => {
  const cases: readonly [string, string, string][] = [
    ['that fits stays', 'a b  c\n', 'a b  c\n'],
    ['that is exactly as wide stays', 'x'.repeat(20), 'x'.repeat(20)],
    [
      'of words goes on two places further in',
      'one two three four five six',
      'one two three four\n  five six',
    ],
    ['with an indent keeps it', '    one two three four five', '    one two three\n      four five'],
    [
      'with columns goes on under the last',
      'name  4  floor of one two three',
      'name  4  floor of\n         one two\n         three',
    ],
    [
      'whose last column is far to the right does not',
      'a word and another  b c d',
      'a word and another\n  b c d',
    ],
    ['that is one long word stays whole', 'x'.repeat(30), 'x'.repeat(30)],
    ['with a long word in it breaks after it', `${'x'.repeat(30)} y`, `${'x'.repeat(30)}\n  y`],
  ];
  it.each(cases)('%s', (_, line, expected) => {
    expect(fold(line, 20)).toBe(expected);
  });
});
