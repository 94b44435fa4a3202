import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { observeHostFilesystems } from '../../../agent/observe/disk.ts';

describe('disks of the host', () => {
  const folder = tmpdir();
  it('are looked at once where both folders lie on one device', () => {
    const filesystems = observeHostFilesystems(folder, ['/nowhere', folder]);
    expect([...filesystems.keys()]).toEqual(['nodefs', 'imagefs', 'containerfs']);
    const figures = filesystems.get('nodefs');
    expect(filesystems.get('imagefs')).toBe(figures);
    expect(filesystems.get('containerfs')).toBe(figures);
    const expected = statfsSync(folder, { bigint: true });
    expect(figures?.capacityBytes).toBe(expected.blocks * expected.bsize);
    expect(figures?.inodes).toBe(expected.files);
    expect((figures?.availableBytes ?? -1n) <= (figures?.capacityBytes ?? -1n)).toBe(true);
  });
  it('have figures of their own on another device', () => {
    const filesystems = observeHostFilesystems(folder, ['/proc']);
    expect(filesystems.get('imagefs')).not.toBe(filesystems.get('nodefs'));
    expect(filesystems.get('imagefs')?.capacityBytes).toBe(0n);
    expect(filesystems.get('containerfs')).toBe(filesystems.get('imagefs'));
  });
  it('give nothing for folders that are not there', () => {
    expect(observeHostFilesystems('/nowhere', ['/nowhere']).size).toBe(0);
    expect([...observeHostFilesystems(folder, ['/nowhere']).keys()]).toEqual(['nodefs']);
    expect([...observeHostFilesystems('/nowhere', [folder]).keys()]).toEqual(['imagefs', 'containerfs']);
  });
});
