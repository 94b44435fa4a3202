import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { takeLock } from '../../cgroup/disk/lock-file.ts';
import { ownIdentity } from '../../cgroup/disk/process-identity.ts';
import type { NodeFolder } from '../fakes/node-folder.ts';
import {
  argumentsFor,
  BURSTABLE_CONTAINER,
  GUARANTEED_CONTAINER,
  GUARANTEED_POD,
  nodeWithPods,
  PLANNED,
} from '../fakes/node-with-pods.ts';
import { BINARY, nodeqos } from './binary.ts';

const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
const canMount = isRoot && spawnSync('unshare', ['-m', 'true']).status === 0;

interface Result {
  readonly entries: readonly { cgroup: string; file: string; outcome: string; error: string | null }[];
  readonly summary: Readonly<Record<string, number>>;
}

let node: NodeFolder;
let before: Record<string, string>;

beforeEach(() => {
  node = nodeWithPods();
  chmodSync(node.root, 0o755);
  before = node.cgroups();
});

afterEach(() => {
  node.remove();
});

function result(stdout: string): Result {
  return JSON.parse(stdout) as Result;
}

function giveToNobody(...paths: string[]): void {
  for (const path of paths) {
    chownSync(path, NOBODY, NOBODY);
  }
}

/** Runs nodeqos in a mount namespace of its own, after the commands of a shell; ROOT and STATE are set for them. */
function afterMounting(script: string, args: readonly string[]) {
  const command = ['-m', 'sh', '-ec', `${script}\nexec "$@"`, 'sh', process.execPath, BINARY, ...args];
  return spawnSync('unshare', command, {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ROOT: node.root, STATE: node.state },
  });
}

describe.skipIf(!isRoot)(
  'an unprivileged user (skipped unless root runs the tests: files have to be given away)',
  () => {
    it('writes nothing without permission for the state folder: 77 and one sentence', () => {
      const { status, stdout, stderr } = nodeqos(['apply', ...argumentsFor(node)], { uid: NOBODY });
      expect([status, stdout]).toEqual([77, '']);
      expect(stderr).toBe(
        `nodeqos: ${node.state}: permission denied; run nodeqos as root, or as the owner of the file\n`,
      );
      expect(node.cgroups()).toEqual(before);
    });

    it('is told of every file once, and ends with 77, where nothing at all could be written', () => {
      mkdirSync(node.state, { recursive: true });
      giveToNobody(node.state);
      const { status, stdout } = nodeqos(['apply', ...argumentsFor(node), '-o', 'json'], { uid: NOBODY });
      expect(status).toBe(77);
      expect(result(stdout).summary).toMatchObject({ written: 0, failed: PLANNED.length, vanished: 0 });
      expect(result(stdout).entries.map(({ error }) => error)).toEqual(
        PLANNED.map(
          ([path]) =>
            `${join(node.mount, path)}: permission denied; run nodeqos as root, or as the owner of the file`,
        ),
      );
      expect(node.cgroups()).toEqual(before);
      expect(readdirSync(node.state)).toEqual(['journal.jsonl']);
    });

    it('writes what is its own and ends with 74 for the rest', () => {
      const own = join(GUARANTEED_POD, 'memory.min');
      mkdirSync(node.state, { recursive: true });
      giveToNobody(node.state, join(node.mount, own));
      const { status, stdout } = nodeqos(['apply', ...argumentsFor(node), '-o', 'json'], { uid: NOBODY });
      expect(status).toBe(74);
      expect(result(stdout).summary).toMatchObject({ written: 1, failed: PLANNED.length - 1 });
      expect(node.cgroups()).toEqual({ ...before, [own]: '536870912\n' });
    });

    it('does not write what it may write but not read, since its old value could not be kept', () => {
      const blind = join(GUARANTEED_CONTAINER, 'memory.min');
      mkdirSync(node.state, { recursive: true });
      giveToNobody(node.state, ...PLANNED.map(([path]) => join(node.mount, path)));
      chmodSync(join(node.mount, blind), 0o200);
      const { status, stdout, stderr } = nodeqos(['apply', ...argumentsFor(node), '-o', 'json'], {
        uid: NOBODY,
      });
      expect(status).toBe(74);
      expect(result(stdout).summary).toMatchObject({ written: PLANNED.length - 1, failed: 1 });
      expect(node.cgroups()[blind]).toBe('0\n');
      expect(stderr.split(join(node.mount, blind))).toHaveLength(2);
      expect(readFileSync(join(node.state, 'journal.jsonl'), 'utf8')).not.toContain(GUARANTEED_CONTAINER);
    });

    it('cannot reset what root applied: 77', () => {
      expect(nodeqos(['apply', ...argumentsFor(node)]).status).toBe(0);
      const applied = node.cgroups();
      for (const args of [['reset'], ['reset', '--neutral'], ['reset', '--dry-run']]) {
        expect(nodeqos([...args, '--root', node.root], { uid: NOBODY }).status).toBe(77);
      }
      expect(node.cgroups()).toEqual(applied);
    });
  },
);

describe.skipIf(!canMount)(
  'a filesystem that takes no writes (skipped where no mount namespace can be made)',
  () => {
    it('read-only as a whole: 74 and one sentence', () => {
      mkdirSync(node.state, { recursive: true });
      const readOnly = 'mount --bind "$ROOT" "$ROOT"; mount -o remount,ro,bind "$ROOT"';
      for (const args of [
        ['apply', ...argumentsFor(node)],
        ['reset', '--neutral', '--root', node.root],
      ]) {
        const { status, stdout, stderr } = afterMounting(readOnly, args);
        expect([status, stdout]).toEqual([74, '']);
        expect(stderr).toContain(`nodeqos: ${join(node.state, 'lock')}: the filesystem is read-only\n`);
      }
      expect(node.cgroups()).toEqual(before);
    });

    it('read-only at the cgroup mount: every write is reported once, 74, and reset has nothing to undo', () => {
      const readOnly =
        'mount --bind "$ROOT/sys/fs/cgroup" "$ROOT/sys/fs/cgroup"; mount -o remount,ro,bind "$ROOT/sys/fs/cgroup"';
      const { status, stdout } = afterMounting(readOnly, ['apply', ...argumentsFor(node), '-o', 'json']);
      expect(status).toBe(74);
      expect(result(stdout).entries.map(({ error }) => error)).toEqual(
        PLANNED.map(([path]) => `${join(node.mount, path)}: the filesystem is read-only`),
      );
      expect(node.cgroups()).toEqual(before);
      const { status: after, stdout: undone } = nodeqos(['reset', '--root', node.root, '-o', 'json']);
      expect([after, result(undone).summary]).toEqual([
        0,
        { written: 0, failed: 0, vanished: 0, unchanged: PLANNED.length, stale: 0 },
      ]);
    });

    it('full where the lock would be: 74, nothing written', () => {
      mkdirSync(node.state, { recursive: true });
      const full = 'mount -t tmpfs -o size=4k none "$STATE"; head -c 4096 /dev/zero > "$STATE/filler"';
      const { status, stdout, stderr } = afterMounting(full, ['apply', ...argumentsFor(node)]);
      expect([status, stdout]).toEqual([74, '']);
      expect(stderr).toContain(`${join(node.state, 'lock')}: no space left; free some and run again\n`);
      expect(node.cgroups()).toEqual(before);
    });

    describe('on a full or read-only disk reset', () => {
      const lacking = (why: string): string =>
        `no lock can be taken (${join(node.state, 'lock')}: ${why}); no other nodeqos is known to write, so this one goes on without it\n`;
      const kept = (why: string): string =>
        `the journal could not be shortened (${join(node.state, 'journal.jsonl')}: ${why}); what was put back stays in it, and the next reset finds that unchanged\n`;
      const undo = () => ['reset', '--root', node.root, '-o', 'json'];
      /** A disk of its own with what apply left in the state folder, and no room for more. */
      const full =
        'mkdir "$ROOT/kept"; cp -a "$STATE/." "$ROOT/kept"; mount -t tmpfs -o size=256k none "$STATE"; cp -a "$ROOT/kept/." "$STATE"; head -c 262144 /dev/zero > "$STATE/filler" 2>/dev/null || :; rm -r "$ROOT/kept"';
      const readOnly = 'mount --bind "$STATE" "$STATE"; mount -o remount,ro,bind "$STATE"';
      const noRoom = 'no space left; free some and run again';

      it.each([
        ['full', full, noRoom],
        ['read-only', readOnly, 'the filesystem is read-only'],
      ])('puts everything back without a lock, and says what could not be kept: %s', (_, script, why) => {
        expect(nodeqos(['apply', ...argumentsFor(node)]).status).toBe(0);
        expect(node.cgroups()).not.toEqual(before);
        const first = afterMounting(script, undo());
        expect(first.stderr).toContain(lacking(why));
        expect(first.stderr).toContain(kept(why));
        expect(first.status).toBe(74);
        expect(result(first.stdout).summary).toMatchObject({ written: PLANNED.length, failed: 0 });
        expect(node.cgroups()).toEqual(before);
        const second = afterMounting(script, undo());
        expect(result(second.stdout).summary).toMatchObject({ written: 0, unchanged: PLANNED.length });
        expect(nodeqos(undo()).status).toBe(0);
      });

      it('has nothing to undo where nothing was ever written: 0', () => {
        const { status, stderr } = afterMounting(
          'mount --bind "$ROOT" "$ROOT"; mount -o remount,ro,bind "$ROOT"',
          undo(),
        );
        expect(status).toBe(0);
        expect(stderr).toContain('no lock can be taken');
      });

      it.each([
        ['one that lives', '', /nodeqos run \(PID \d+\) has written here since/],
        ['one that cannot be read', ': > "$STATE/lock";', /lock: this lock cannot be read; remove it/],
      ])('gives way to a lock that is there, %s: 75', (_, damage, sentence) => {
        const lock = takeLock(node.state, 'run', Date.now());
        if (lock.kind !== 'held') throw new Error(lock.message);
        const { status, stdout, stderr } = afterMounting(`${damage} ${full}`, undo());
        expect([status, stdout]).toEqual([75, '']);
        expect(stderr).toMatch(sentence);
        lock.release();
      });

      it('goes on where the holder of the lock is gone', () => {
        expect(nodeqos(['apply', ...argumentsFor(node)]).status).toBe(0);
        const gone = { ...ownIdentity(), pid: 2 ** 30, command: 'run', since: 'long ago', token: 'gone' };
        writeFileSync(join(node.state, 'lock'), JSON.stringify(gone));
        const { status, stderr } = afterMounting(full, undo());
        expect(status).toBe(74);
        expect(stderr).toContain(lacking(noRoom));
        expect(node.cgroups()).toEqual(before);
      });
    });

    it.each([['apply'], ['reset --neutral']])(
      'full under the journal of %s: 74, nothing written, no leftovers',
      (command) => {
        mkdirSync(node.state, { recursive: true });
        node.writeCgroups({ [`${BURSTABLE_CONTAINER}/memory.low`]: '4096\n' });
        before = node.cgroups();
        const inputs = command === 'apply' ? argumentsFor(node) : ['--root', node.root];
        const wrapped =
          'mount -t tmpfs -o size=4k none "$STATE"; set +e; "$@"; echo "status $?"; ls -A "$STATE"; exit';
        const { stdout, stderr } = afterMounting(wrapped, [...command.split(' '), ...inputs]);
        expect(stdout).toBe('status 74\n');
        expect(stderr).toContain(
          `nothing was written, since the old values cannot be kept: ${join(node.state, 'journal.jsonl')}: no space left; free some and run again\n`,
        );
        expect(node.cgroups()).toEqual(before);
        expect(existsSync(join(node.state, 'lock'))).toBe(false);
      },
    );
  },
);
