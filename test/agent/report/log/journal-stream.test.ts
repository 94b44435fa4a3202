import { closeSync, fstatSync, openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isJournalStream } from '../../../../agent/report/log/journal-stream.ts';

describe('whether a stream is the journal', () => {
  it('goes by device and inode', () => {
    const descriptor = openSync('/dev/null', 'r');
    try {
      const { dev, ino } = fstatSync(descriptor, { bigint: true });
      expect(isJournalStream({ JOURNAL_STREAM: `${dev}:${ino}` }, descriptor)).toBe(true);
      expect(isJournalStream({ JOURNAL_STREAM: `${dev}:${ino + 1n}` }, descriptor)).toBe(false);
      expect(isJournalStream({ JOURNAL_STREAM: '' }, descriptor)).toBe(false);
      expect(isJournalStream({}, descriptor)).toBe(false);
    } finally {
      closeSync(descriptor);
    }
  });
  it('is no for a descriptor that is closed', () => {
    expect(isJournalStream({ JOURNAL_STREAM: '1:2' }, 100_000)).toBe(false);
  });
});
