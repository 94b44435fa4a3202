import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { KernelCase } from '../guest/result.ts';
import { run, systemctl } from './commands.ts';

async function isWhatANodeIs(notes: (note: string) => void): Promise<void> {
  assert.equal(readFileSync('/proc/1/comm', 'utf8'), 'systemd\n');
  assert.match(readFileSync('/proc/mounts', 'utf8'), / \/sys\/fs\/cgroup cgroup2 \S*memory_recursiveprot/);
  const version = await run('systemctl', '--version');
  notes(version.stdout.split('\n')[0] ?? '');
  notes((await run('systemd-analyze')).stdout.split('\n')[0] ?? '');
  const bus = await run(
    'busctl',
    'call',
    'org.freedesktop.systemd1',
    '/',
    'org.freedesktop.DBus.Peer',
    'Ping',
  );
  assert.equal(bus.status, 0, bus.stderr);
  const failed = await systemctl('list-units', '--failed', '--no-legend', '--plain');
  assert.equal(failed, '');
}

export const MACHINE_CASES: readonly KernelCase[] = [
  {
    name: 'the machine has systemd as its first process, a bus, and no unit that failed',
    run: isWhatANodeIs,
  },
];
