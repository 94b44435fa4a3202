import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ARCHIVE_LIMITS, readArchive } from '../../../agent/observe/captured/archive-tree.ts';
import { type ArchiveEntry, archiveOf, tarOf } from '../../fakes/archives.ts';

const nameOf = (path: string): string => `node.tar.gz:${path}`;
const SMALL = { unpackedBytes: 100_000, entries: 5 };

async function messageOf(bytes: Uint8Array, limits = ARCHIVE_LIMITS): Promise<string> {
  const archive = await readArchive(bytes, nameOf, limits);
  return archive.ok ? 'read' : archive.message;
}

describe('an archive', () => {
  it('is read as a folder, its folders listed sorted and its files with their texts', async () => {
    const archive = await readArchive(
      await archiveOf([
        { name: './', type: 'directory' },
        { name: './proc/meminfo', text: 'MemTotal: 1 kB\n' },
        { name: 'b', text: '' },
        { name: 'a', text: 'ä' },
        { name: 'empty/', type: 'directory' },
        { name: `${'deep/'.repeat(20)}${'n'.repeat(200)}`, text: 'long' },
      ]),
      nameOf,
    );
    if (!archive.ok) throw new Error(archive.message);
    const tree = archive.value;
    expect(tree.readDirectory('')).toEqual({
      kind: 'read',
      directories: ['deep', 'empty', 'proc'],
      files: ['a', 'b'],
    });
    expect(tree.readDirectory('empty')).toEqual({ kind: 'read', directories: [], files: [] });
    expect(tree.readFile('proc/meminfo')).toEqual({ kind: 'read', text: 'MemTotal: 1 kB\n' });
    expect(tree.readFile('b')).toEqual({ kind: 'read', text: '' });
    expect(tree.readFile('a')).toEqual({ kind: 'read', text: 'ä' });
    expect(tree.readFile(`${'deep/'.repeat(20)}${'n'.repeat(200)}`)).toEqual({ kind: 'read', text: 'long' });
    expect(tree.readFile('proc')).toEqual({ kind: 'failed', code: 'EISDIR' });
    expect(tree.readFile('proc/none')).toEqual({ kind: 'missing' });
    expect(tree.readDirectory('none')).toEqual({ kind: 'missing' });
    expect(tree.readDirectory('a')).toEqual({ kind: 'failed', code: 'ENOTDIR' });
    expect(tree.nameOf('proc/meminfo')).toBe('node.tar.gz:proc/meminfo');
    expect(tree.inodeOf('none')).toBeUndefined();
    expect(tree.inodeOf('proc')).not.toBe(tree.inodeOf('empty'));
  });

  const hostile: readonly [string, readonly ArchiveEntry[], string][] = [
    [
      'leads out by ..',
      [{ name: 'a/../../x', text: 'x' }],
      'holds the name "a/../../x", which is not a path within it',
    ],
    [
      'has an absolute name',
      [{ name: '/etc/passwd', text: 'x' }],
      'holds the name "/etc/passwd", which is not a path within it',
    ],
    [
      'is too deep',
      [{ name: `${'d/'.repeat(64)}x`, text: 'x' }],
      `holds the name "${'d/'.repeat(64)}x", which is not a path within it`,
    ],
    [
      'holds a symlink',
      [{ name: 'x', type: 'symlink', linkname: '/etc' }],
      'holds "x", which is a symlink; only files and folders are read',
    ],
    [
      'holds a hard link',
      [{ name: 'x', type: 'link', linkname: '/etc/passwd' }],
      'holds "x", which is a link; only files and folders are read',
    ],
    [
      'holds a device',
      [{ name: 'x', type: 'character-device' }],
      'holds "x", which is a character-device; only files and folders are read',
    ],
    [
      'holds a pipe',
      [{ name: 'x', type: 'fifo' }],
      'holds "x", which is a fifo; only files and folders are read',
    ],
    [
      'holds a name twice',
      [
        { name: 'x', text: '1' },
        { name: 'x', text: '2' },
      ],
      'holds "x" twice, or as a file and as a folder',
    ],
    [
      'holds a file below a file',
      [
        { name: 'x', text: '1' },
        { name: 'x/y', text: '2' },
      ],
      'holds "x/y" twice, or as a file and as a folder',
    ],
    [
      'holds a folder in a file',
      [
        { name: 'x', text: '1' },
        { name: 'x', type: 'directory' },
      ],
      'holds "x" as a file and as a folder',
    ],
    ['holds nothing', [], 'holds nothing'],
  ];
  it.each(hostile)('that %s is refused', async (_, entries, message) => {
    expect(await messageOf(await archiveOf(entries))).toBe(message);
  });

  it('as deep as 64 folders is read', async () => {
    expect(await messageOf(await archiveOf([{ name: `${'d/'.repeat(63)}x`, text: 'x' }]))).toBe('read');
  });

  it('that unpacks to more than the limit is refused without being unpacked whole', async () => {
    const bomb = await archiveOf([{ name: 'x', text: 'a'.repeat(300_000) }]);
    expect(await messageOf(bomb, SMALL)).toBe('holds "x" with 300000 bytes; at most 100000 are read');
    const many = await archiveOf([1, 2, 3].map((n) => ({ name: `x${n}`, text: 'a'.repeat(60_000) })));
    expect(await messageOf(many, SMALL)).toBe('cannot be unpacked: it holds more than 100000 bytes');
    const padded = gzipSync(
      Buffer.concat([await tarOf([{ name: 'x', text: 'a' }]), Buffer.alloc(1_000_000)]),
    );
    expect(await messageOf(padded, SMALL)).toBe('cannot be unpacked: it holds more than 100000 bytes');
  });

  it('with more entries than the limit is refused', async () => {
    const entries = (count: number): ArchiveEntry[] =>
      Array.from({ length: count }, (_, n) => ({ name: `f${n}`, text: '' }));
    expect(await messageOf(await archiveOf(entries(5)), SMALL)).toBe('read');
    expect(await messageOf(await archiveOf(entries(6)), SMALL)).toBe('holds more than 5 entries');
  });

  it('that is truncated, packed or not, is refused', async () => {
    const tar = await tarOf([{ name: 'x', text: 'a'.repeat(3000) }]);
    expect(await messageOf(gzipSync(tar).subarray(0, 50))).toBe('cannot be unpacked: unexpected end of file');
    expect(await messageOf(gzipSync(tar.subarray(0, 2000)))).toBe(
      'cannot be unpacked: Unexpected end of data',
    );
    expect(await messageOf(gzipSync(tar.subarray(0, 300)))).toBe(
      'cannot be unpacked: Unexpected end of data',
    );
  });

  it('that is no gzip, or gzip of something else, is refused', async () => {
    expect(await messageOf(new Uint8Array())).toBe('is not a gzip-compressed archive');
    expect(await messageOf(await tarOf([{ name: 'x', text: 'a' }]))).toBe('is not a gzip-compressed archive');
    expect(await messageOf(Buffer.from([0x1f, 0x8b, 1, 2, 3]))).toMatch(/^cannot be unpacked: /);
    expect(await messageOf(gzipSync(Buffer.alloc(2048, 'junk')))).toMatch(
      /^cannot be unpacked: Invalid tar header/,
    );
  });
});
