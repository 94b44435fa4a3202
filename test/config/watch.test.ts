import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { watchFiles } from '../../config/watch.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nodeqos-watch-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('watchFiles', () => {
  it('tells changes, new files and removals until it is stopped', async () => {
    const file = join(folder, 'main.yaml');
    writeFileSync(file, 'a');
    mkdirSync(`${file}.d`);
    const stop = new AbortController();
    let changes = 0;
    const watching = watchFiles(
      [file, `${file}.d`],
      () => {
        changes += 1;
      },
      stop.signal,
    );
    await vi.waitFor(
      () => {
        writeFileSync(file, `b${changes}`);
        expect(changes).toBeGreaterThan(0);
      },
      { timeout: 10_000, interval: 400 },
    );
    let before = changes;
    writeFileSync(`${file}.d/10.yaml`, 'c');
    await vi.waitFor(
      () => {
        expect(changes).toBeGreaterThan(before);
      },
      { timeout: 10_000 },
    );
    before = changes;
    rmSync(`${file}.d/10.yaml`);
    await vi.waitFor(
      () => {
        expect(changes).toBeGreaterThan(before);
      },
      { timeout: 10_000 },
    );
    stop.abort();
    await watching;
    before = changes;
    writeFileSync(file, 'd');
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(changes).toBe(before);
  });

  it('tells of what comes back after it was removed, again and again, and of what was not there', async () => {
    const files = [join(folder, 'main.yaml'), join(folder, 'other.yaml'), join(folder, 'deep/er/late.yaml')];
    const [main = '', other = '', late = ''] = files;
    for (const file of [main, other]) writeFileSync(file, 'a');
    const stop = new AbortController();
    let changes = 0;
    const watching = watchFiles(
      files,
      () => {
        changes += 1;
      },
      stop.signal,
    );
    const steps: readonly (() => void)[] = [
      () => {
        rmSync(main);
      },
      () => {
        writeFileSync(main, 'b');
      },
      () => {
        rmSync(main);
        mkdirSync(main);
      },
      () => {
        rmSync(main, { recursive: true });
        writeFileSync(main, 'c');
      },
      () => {
        mkdirSync(join(folder, 'deep/er'), { recursive: true });
        writeFileSync(late, 'd');
      },
      () => {
        rmSync(join(folder, 'deep'), { recursive: true });
      },
    ];
    for (const step of steps) {
      const before = changes;
      step();
      await vi.waitFor(
        () => {
          expect(changes).toBeGreaterThan(before);
        },
        { timeout: 10_000, interval: 20 },
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 1300));
    const last = changes;
    await new Promise((resolve) => setTimeout(resolve, 1300));
    expect(changes).toBe(last);
    stop.abort();
    await watching;
  });

  it('does nothing where it is stopped already', async () => {
    await expect(watchFiles([folder], () => undefined, AbortSignal.abort())).resolves.toBeUndefined();
  });
});
