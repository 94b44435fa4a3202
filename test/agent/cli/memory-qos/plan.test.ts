import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planCommand } from '../../../../agent/cli/memory-qos/plan.ts';
import { planDiff, planScript } from '../../../../agent/cli/memory-qos/plan-script.ts';
import { nothingToWrite, planTable } from '../../../../agent/cli/memory-qos/plan-text.ts';
import { EXIT, Failure } from '../../../../agent/exit.ts';
import type { PlanEntry } from '../../../../cgroup/plan.ts';
import { planOn, podOf } from '../../../fakes/planning.ts';
import { RecordingIo } from '../../../fakes/recording-io.ts';
import { cgroupTree } from '../../../fakes/tree.ts';

const WEB = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'shop', name: 'web', uid: 'u' },
  spec: {
    containers: [{ name: 'app', resources: { requests: { memory: '256Mi' }, limits: { memory: '1Gi' } } }],
  },
  status: { containerStatuses: [{ name: 'app', containerID: 'containerd://aa' }] },
};

const POD = 'kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podu.slice';

function entry(changes: Partial<PlanEntry>): PlanEntry {
  return {
    level: 'container',
    namespace: 'shop',
    pod: 'web',
    uid: 'u',
    container: 'app',
    qosClass: 'Burstable',
    cgroup: 'k/pod/app',
    file: 'memory.high',
    current: 'max',
    desired: '4096',
    action: 'write',
    reason: 'why',
    ...changes,
  };
}

describe('plan as a table', () => {
  it('shows each value with its formula, pod by pod, within 100 columns', () => {
    const tree = cgroupTree({
      'kubepods.slice': {},
      'kubepods.slice/kubepods-burstable.slice': { low: 268435456n },
      [POD]: {},
    });
    const table = planTable(planOn(tree, [podOf(WEB)]));
    expect(table).toBe(`memory capacity 17179869184, allocatable 16106127360, page 4096, driver systemd
throttling factor 0.9, reservation policy TieredReservation, protection kubelet

         FILE  NOW -> WANTED        WHY
kubepods.slice
         min   0 -> 268435456       floor_page(Guaranteed requests 0 + Burstable requests 268435456)
         low   0 -> 268435456       floor_page(Burstable requests 268435456)
kubepods.slice/kubepods-burstable.slice
         low   268435456            floor_page(Burstable requests 268435456)
shop/web  Burstable
  (pod)  low   0 -> 268435456       floor_page(pod request 268435456)
  app    min   (missing) 0          a Burstable pod is protected by memory.low
  app    low   (missing) 268435456  floor_page(request 268435456)
  app    high  (missing) 993210368  floor_page(268435456 + 0.9 x (1073741824 - 268435456))

3 to write, 3 to keep (2 of them defaults, not shown), 3 missing
`);
    expect(Math.max(...table.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it('makes hostile names harmless and long ones short', () => {
    const metadata = { ...WEB.metadata, name: 'a\u001b[2J' };
    const spec = { containers: [{ name: 'c'.repeat(30) }] };
    const table = planTable(planOn(cgroupTree({}), [podOf({ metadata, spec })]));
    expect(table).toContain('shop/a\\u001b[2J  BestEffort');
    expect(table).toContain(`  ${'c'.repeat(19)}…  min`);
  });
});

describe('plan as a diff', () => {
  it('lists cgroups with writes bytewise, without a minus where nothing is known', () => {
    const entries = [
      entry({ cgroup: 'k/b', file: 'memory.min', current: '0', desired: '8192' }),
      entry({ cgroup: 'k/a', current: null }),
      entry({ cgroup: 'k/b' }),
      entry({ cgroup: 'k/c', action: 'keep' }),
      entry({ cgroup: null, current: null }),
      entry({ cgroup: 'k/d', action: 'missing' }),
    ];
    expect(planDiff(entries)).toBe(`--- (cgroup not known) shop/web/app
+memory.high 4096
--- k/a
+memory.high 4096
--- k/b
-memory.min 0
+memory.min 8192
-memory.high max
+memory.high 4096
`);
    expect(planDiff([])).toBe('');
  });
});

describe('plan as a script', () => {
  it('has one line a write, in order, with the reason', () => {
    const entries = [
      entry({ cgroup: 'k/b' }),
      entry({ cgroup: 'k/a', action: 'keep' }),
      entry({ cgroup: null, container: null }),
      entry({ cgroup: 'k/a', desired: 'max' }),
    ];
    expect(planScript(entries, '/sys/fs/cgroup')).toBe(`#!/bin/sh
set -eu
printf 4096 > /sys/fs/cgroup/k/b/memory.high  # why
# cgroup not known: shop/web memory.high 4096  # why
printf max > /sys/fs/cgroup/k/a/memory.high  # why
`);
  });

  it('writes what it says, through names that a shell would read otherwise', () => {
    const folder = mkdtempSync(join(tmpdir(), 'plan-script-'));
    const cgroup = `k $(touch x)'";\`id\``;
    mkdirSync(join(folder, cgroup));
    const script = planScript([entry({ cgroup })], folder);
    execFileSync('sh', ['-c', script], { cwd: folder });
    expect(readFileSync(join(folder, cgroup, 'memory.high'), 'utf8')).toBe('4096');
    rmSync(folder, { recursive: true });
  });
});

describe('the command', () => {
  let folder = '';

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'plan-command-'));
    writeFileSync(join(folder, 'pods.json'), JSON.stringify(WEB));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const base = {
    root: '/',
    cgroupDriver: 'systemd',
    offline: true,
    throttlingFactor: '0.9',
    reservationPolicy: 'TieredReservation',
    output: 'json',
    check: false,
    memoryCapacity: '16Gi',
  } as const;

  async function run(changes: object): Promise<{ status: number; io: RecordingIo }> {
    const io = new RecordingIo();
    const args = { ...base, pods: join(folder, 'pods.json'), ...changes };
    const status = await planCommand.run(args as unknown as Parameters<typeof planCommand.run>[0], io);
    return { status, io };
  }

  it('prints the document, warnings apart', async () => {
    const { status, io } = await run({});
    expect(status).toBe(EXIT.ok);
    expect(JSON.parse(io.stdout)).toMatchObject({
      kind: 'MemoryQosPlan',
      summary: { write: 9, keep: 0, missing: 0 },
    });
    expect(io.warnings.join('\n')).toContain('MemoryQoS feature gate');
  });

  it.each([
    [2, 0, 'Nothing is to be written: 2 values are as planned.\n'],
    [1, 1, 'Nothing is to be written: 1 value is as planned; 1 belongs to cgroups that are not there.\n'],
    [0, 2, 'Nothing is to be written: 0 values are as planned; 2 belong to cgroups that are not there.\n'],
  ])('--check is short where %i values stay and %i are missing', (keep, missing, text) => {
    const plan = { ...planOn(cgroupTree({}), []), summary: { write: 0, keep, missing } };
    expect(nothingToWrite(plan)).toBe(text);
  });

  it('--check says no where anything would be written', async () => {
    expect((await run({ check: true })).status).toBe(EXIT.no);
  });

  it.each([
    ['yaml', 'apiVersion: nodeqos.dev/v1alpha1\nkind: MemoryQosPlan\n'],
    ['diff', '--- kubepods.slice\n+memory.min 268435456\n'],
    ['sh', '#!/bin/sh\nset -eu\nprintf 268435456 > /sys/fs/cgroup/kubepods.slice/memory.min  # '],
    ['table', 'memory capacity 17179869184'],
  ])('-o %s', async (output, start) => {
    expect((await run({ output })).io.stdout.startsWith(start)).toBe(true);
  });

  it('without a capacity it ends only where a value depends on it', async () => {
    expect((await run({ memoryCapacity: undefined })).status).toBe(EXIT.ok);
    const unlimited = { ...WEB, spec: { containers: [{ name: 'app' }] } };
    writeFileSync(join(folder, 'pods.json'), JSON.stringify(unlimited));
    await expect(run({ memoryCapacity: undefined })).rejects.toThrow(
      new Failure(EXIT.usage, '--offline needs the memory capacity: give --memory-capacity Q or --node FILE'),
    );
    expect((await run({ memoryCapacity: undefined, throttlingFactor: undefined })).status).toBe(EXIT.ok);
  });
});
