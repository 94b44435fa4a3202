import { expect, it } from 'vitest';
import { Progress } from '../../../../agent/cli/console/progress.ts';
import { RecordingIo } from '../../../fakes/recording-io.ts';

class TerminalIo extends RecordingIo {
  readonly isErrTerminal = true;
}

/** What stands on stderr after a share was shown at each of these times. */
function shown(io: RecordingIo, steps: readonly (readonly [atMs: number, done: number])[]): string {
  let nowMs = 0;
  const progress = new Progress(io, 'Replaying', () => nowMs);
  for (const [atMs, done] of steps) {
    nowMs = atMs;
    progress.show(done);
  }
  progress.clear();
  progress.clear();
  return io.stderr;
}

const bar = (text: string): string => `\rReplaying ${text}\u001b[K`;
const GONE = '\r\u001b[K';

it.each<[string, readonly (readonly [number, number])[], string]>([
  ['says nothing of what is done at once', [[499, 0.5]], ''],
  [
    'shows how much is done and how long the rest takes',
    [[500, 0.25]],
    `${bar('[########......................]  25%, 2 s left')}${GONE}`,
  ],
  [
    'is drawn ten times a second at most',
    [
      [1000, 0.1],
      [1099, 0.2],
      [1100, 0.999],
    ],
    `${bar('[###...........................]  10%, 9 s left')}${bar('[##############################]  99%, 1 s left')}${GONE}`,
  ],
  ['knows no end before it has begun', [[600, 0]], `${bar('[..............................]   0%')}${GONE}`],
  [
    'is full where there is more than there was',
    [[600, 1.5]],
    `${bar('[##############################] 100%')}${GONE}`,
  ],
])('a bar %s', (_, steps, text) => {
  expect(shown(new TerminalIo(), steps)).toBe(text);
});

it('is not drawn where nobody looks', () => {
  expect(shown(new RecordingIo(), [[1000, 0.5]])).toBe('');
});
