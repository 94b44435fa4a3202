import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Io } from '../../../../agent/cli/console/io.ts';
import { runProgram } from '../../../../agent/cli/program.ts';
import type { NodeFolder } from '../../../fakes/node-folder.ts';
import { nodeUnderPressure } from '../../../fakes/node-under-pressure.ts';
import { RecordingIo } from '../../../fakes/recording-io.ts';

let node: NodeFolder;

beforeAll(() => {
  node = nodeUnderPressure();
});

afterAll(() => {
  node.remove();
});

/** A recording Io that calls itself a terminal. */
interface Terminal extends Io {
  readonly recording: RecordingIo;
}

function terminal(rows: number, term: string): Terminal {
  const recording = new RecordingIo();
  return {
    recording,
    isTerminal: true,
    columns: 100,
    rows,
    env: { TERM: term },
    signal: recording.signal,
    out: (text) => {
      recording.out(text);
    },
    err: (text) => {
      recording.err(text);
    },
    warn: (message) => {
      recording.warn(message);
    },
  };
}

async function top(io: Io, ...args: readonly string[]): Promise<number> {
  return runProgram(['top', '--root', node.root, '--interval', '100ms', ...args], io);
}

describe('top', () => {
  it('prints one NodeStatus a line where nobody looks at a terminal', async () => {
    const io = new RecordingIo();
    expect(await top(io, '--count', '2')).toBe(0);
    const lines = io.stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    for (const line of lines) {
      expect(JSON.parse(line)).toMatchObject({
        apiVersion: 'nodeqos.dev/v1alpha1',
        kind: 'NodeStatus',
        conditions: ['MemoryPressure'],
        agent: null,
      });
    }
  });

  it('draws on a screen of its own on a terminal, and leaves it at the end', async () => {
    const io = terminal(50, 'xterm');
    expect(await top(io, '--count', '2')).toBe(0);
    const frames = io.recording.stdout.split('\u001b[H');
    expect(frames).toHaveLength(3);
    expect(frames[0]).toBe('\u001b[?1049h\u001b[?25l\u001b[2J');
    expect(frames[1]).toMatch(/^nodeqos top, .*Z, every 100ms; Ctrl-C ends\u001b\[K\n\u001b\[K\nSIGNAL /);
    expect(frames[1]).toContain('Conditions: MemoryPressure\u001b[K\n');
    expect(frames[2]?.endsWith('\u001b[J\u001b[?25h\u001b[?1049l')).toBe(true);
    expect(io.recording.warnings).toEqual([]);
  });

  it('leaves out the lines that do not fit', async () => {
    const io = terminal(4, 'xterm');
    expect(await top(io, '--count', '1')).toBe(0);
    expect(io.recording.stdout.split('\n').slice(0, -1)).toHaveLength(3);
  });

  it.each([
    ['on a terminal that cannot move its cursor', terminal(50, 'dumb'), []],
    ['where a table is asked for and nobody looks at a terminal', new RecordingIo(), ['-o', 'table']],
  ] as const)('prints one table below the other %s', async (_, io, args) => {
    expect(await top(io, '--count', '2', ...args)).toBe(0);
    const { stdout } = 'recording' in io ? io.recording : io;
    expect(stdout).not.toContain('\u001b');
    expect(stdout.match(/^Conditions: MemoryPressure$/gm)).toHaveLength(2);
  });

  it('ends tidily when it is told to', async () => {
    const io = terminal(50, 'xterm');
    setTimeout(() => {
      io.recording.stop.abort();
    }, 150);
    expect(await top(io)).toBe(0);
    expect(io.recording.stdout.endsWith('\u001b[?25h\u001b[?1049l')).toBe(true);
  });

  it('goes on when a later look fails, and says so', async () => {
    const broken = nodeUnderPressure();
    try {
      const io = new RecordingIo();
      const looks = runProgram(['top', '--root', broken.root, '--interval', '400ms', '--count', '2'], io);
      while (io.stdout === '') await new Promise((resolve) => setTimeout(resolve, 10));
      broken.write({ 'var/lib/kubelet/config.yaml': 'kind: [\n' });
      expect(await looks).toBe(0);
      expect(io.stdout.trimEnd().split('\n')).toHaveLength(1);
      expect(io.warnings.some((sentence) => sentence.includes('config.yaml'))).toBe(true);
    } finally {
      broken.remove();
    }
  });

  it.each([
    [['--interval', '99ms'], '--interval 99ms: give a duration from 100ms to 1h, such as 1s'],
    [['--interval', '2h'], '--interval 2h: give a duration from 100ms to 1h, such as 1s'],
    [
      ['--interval', 'soon'],
      '--interval soon: "soon" is not a duration; write a number with its unit, such as 30s or 1m30s',
    ],
    [['--count', '0'], '--count 0: give a whole number from 1'],
  ])('refuses %j', async (args, sentence) => {
    const io = new RecordingIo();
    expect(await runProgram(['top', '--root', node.root, ...args], io)).toBe(64);
    expect(io.stderr).toBe(`nodeqos: ${sentence}\n`);
  });

  it('fails where already the first look does', async () => {
    const io = new RecordingIo();
    expect(await runProgram(['top', '--root', '/nowhere/at/all'], io)).toBe(66);
    expect(io.stdout).toBe('');
  });
});
