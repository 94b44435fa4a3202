import assert from 'node:assert/strict';
import { closeSync, mkdirSync, openSync, rmdirSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { limitFiles } from '../../../cgroup/disk/cgroup-writer.ts';
import { closeMount, openMount } from '../../../cgroup/disk/mount.ts';
import { asTheKernelKeeps, formatLimit, parseLimit } from '../../../cgroup/memory-files.ts';
import { codeOf } from './error-code.ts';
import { MOUNT, readCgroup, writeCgroup } from './machine.ts';
import type { KernelCase } from './result.ts';
import { makeParent, onNode, removeCgroup } from './test-node.ts';

const FILES = ['memory.min', 'memory.low', 'memory.high'] as const;

/** What the kernel makes of a text that is written to a limit, as nodeqos has to know it. */
const ROUNDED: readonly (readonly [text: string, reads: string])[] = [
  ['4095', '0'],
  ['4096', '4096'],
  ['4097', '4096'],
  ['8191', '4096'],
  ['100000001', '99999744'],
  ['max', 'max'],
  ['0', '0'],
  ['9223372036854771711', '9223372036854767616'],
  ['9223372036854771712', 'max'],
  ['18446744073709551615', 'max'],
];

/** Texts that the kernel takes for something else than a person would: nodeqos must never write one. */
const TREACHEROUS: readonly (readonly [text: string, reads: string])[] = [
  ['\n', '0'],
  ['1K', '0'],
  ['4k', '4096'],
  ['1M', '1048576'],
  ['1m', '1048576'],
  ['1G', '1073741824'],
  ['1T', '1099511627776'],
  [' 8192 ', '8192'],
  ['max ', 'max'],
  ['010000', '4096'],
  ['0x2000', '8192'],
  ['18446744073709551616', '0'],
];

const REFUSED = [
  '-1',
  '+8192',
  '1.5M',
  '1e6',
  '1048576000.0',
  '8192 junk',
  '8192;',
  'MAX',
  'infinity',
  'junk',
];

async function inCgroup(test: (cgroup: string) => Promise<void> | void): Promise<void> {
  makeParent('try');
  mkdirSync(`${MOUNT}/try/leaf`);
  try {
    await test('try/leaf');
  } finally {
    await removeCgroup('try');
  }
}

/** What nodeqos would hand to the kernel itself. */
async function refusesToWrite(cgroup: string): Promise<void> {
  const opened = openMount(MOUNT, false);
  assert.ok(opened.ok);
  const files = limitFiles(opened.value);
  const inode = statSync(`${MOUNT}/${cgroup}`, { bigint: true }).ino;
  const place = { cgroup, file: 'memory.high', inode } as const;
  for (const text of [...TREACHEROUS.map(([one]) => one), ...REFUSED, '']) {
    const written = await files.write(place, text);
    assert.equal(written.kind === 'failed' ? written.code : written.kind, 'EINVAL', JSON.stringify(text));
    assert.equal(readCgroup(cgroup, 'memory.high'), 'max');
  }
  assert.deepEqual(await files.write(place, '8192\n'), { kind: 'written' });
  assert.deepEqual(await files.write(place, 'max\n'), { kind: 'written' });
  closeMount(opened.value);
}

export const LIMIT_FILE_CASES: readonly KernelCase[] = [
  {
    name: 'the kernel keeps whole pages of a limit, and nodeqos foretells which',
    run: () =>
      inCgroup((cgroup) => {
        for (const file of FILES)
          for (const [text, reads] of ROUNDED) {
            writeCgroup(cgroup, file, text);
            assert.equal(readCgroup(cgroup, file), reads, `${file} <- ${text}`);
            const limit = text === 'max' ? 'max' : asTheKernelKeeps(BigInt(text), 4096);
            assert.equal(formatLimit(limit), reads, `foretold for ${text}`);
            const read = parseLimit(readCgroup(cgroup, file));
            assert.equal(read === undefined ? undefined : formatLimit(read), reads);
          }
      }),
  },
  {
    name: 'the kernel takes some texts for other numbers and refuses others with EINVAL, the value unchanged',
    run: () =>
      inCgroup((cgroup) => {
        for (const [text, reads] of TREACHEROUS) {
          writeCgroup(cgroup, 'memory.high', text);
          assert.equal(readCgroup(cgroup, 'memory.high'), reads, text);
        }
        writeCgroup(cgroup, 'memory.high', '8192');
        for (const text of REFUSED) {
          const code = codeOf(() => {
            writeCgroup(cgroup, 'memory.high', text);
          });
          assert.equal(code, 'EINVAL', text);
          assert.equal(readCgroup(cgroup, 'memory.high'), '8192');
        }
        writeCgroup(cgroup, 'memory.high', '');
        assert.equal(readCgroup(cgroup, 'memory.high'), '8192', 'an empty write changes nothing');
      }),
  },
  {
    name: 'nodeqos hands none of those texts to the kernel',
    run: () => inCgroup(refusesToWrite),
  },
  {
    name: 'no limit is checked against another one: min above max, high below min',
    run: () =>
      inCgroup((cgroup) => {
        writeCgroup(cgroup, 'memory.max', '8388608');
        writeCgroup(cgroup, 'memory.min', '16777216');
        writeCgroup(cgroup, 'memory.low', '33554432');
        writeCgroup(cgroup, 'memory.high', '4096');
        assert.deepEqual(
          [...FILES, 'memory.max'].map((file) => readCgroup(cgroup, file)),
          ['16777216', '33554432', '4096', '8388608'],
        );
      }),
  },
  {
    name: 'a file that a cgroup does not have is ENOENT to who creates nothing, and EACCES to who would',
    run: () =>
      inCgroup((cgroup) => {
        const path = `${MOUNT}/${cgroup}/memory.nothing`;
        const write = (flag: string) => (): void => {
          writeFileSync(path, '0', { flag });
        };
        assert.equal(codeOf(write('r+')), 'ENOENT');
        assert.equal(codeOf(write('w')), 'EACCES');
      }),
  },
  {
    name: 'a limit of a cgroup that was removed is ENODEV where it was open, also when there is another of that name',
    run: () =>
      inCgroup((cgroup) => {
        const path = `${MOUNT}/${cgroup}`;
        const descriptor = openSync(`${path}/memory.high`, 'r+');
        const before = statSync(path).ino;
        rmdirSync(path);
        mkdirSync(path);
        const code = codeOf(() => {
          writeSync(descriptor, '4096');
        });
        closeSync(descriptor);
        assert.equal(code, 'ENODEV');
        assert.equal(readCgroup(cgroup, 'memory.high'), 'max');
        assert.notEqual(statSync(path).ino, before);
      }),
  },
  {
    name: 'cgroup.kill takes nothing but 1, and cgroup.freeze 0 and 1',
    run: () =>
      inCgroup((cgroup) => {
        const write = (file: string, text: string) => (): void => {
          writeCgroup(cgroup, file, text);
        };
        assert.equal(codeOf(write('cgroup.kill', '0')), 'ERANGE');
        assert.equal(codeOf(write('cgroup.freeze', '2')), 'ERANGE');
        assert.equal(codeOf(write('cgroup.freeze', '1')), 'no error');
        assert.match(readCgroup(cgroup, 'cgroup.events'), /frozen 1/);
      }),
  },
  {
    name: 'the pods a node has lie in cgroups of which the root has no limits',
    run: () =>
      onNode((node) => {
        for (const file of [...FILES, 'memory.max', 'memory.current', 'memory.events'])
          assert.equal(
            codeOf(() => readCgroup('', file)),
            'ENOENT',
          );
        assert.equal(readCgroup(node.kubepods, 'memory.high'), 'max');
        return Promise.resolve();
      }),
  },
];
