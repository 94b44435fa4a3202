import { describe, expect, it } from 'vitest';
import type { Native, NativeResult } from '../../../../agent/native/native.ts';
import { cgroupFacts } from '../../../../agent/observe/doctor/cgroup-facts.ts';
import { foreignValues } from '../../../../agent/observe/doctor/foreign-values.ts';
import { kernelFacts } from '../../../../agent/observe/doctor/kernel-facts.ts';
import { findOomd, otherAgents } from '../../../../agent/observe/doctor/other-agents.ts';
import { pressureFacts } from '../../../../agent/observe/doctor/pressure-facts.ts';
import { unitDropIns } from '../../../../agent/observe/doctor/unit-drop-ins.ts';
import type { NodeRoot } from '../../../../agent/observe/root.ts';
import { cgroupLayout } from '../../../../cgroup/paths.ts';
import { LiteralTree } from '../../../fakes/literal-tree.ts';

type Texts = Readonly<Record<string, string>>;

function root(files: Texts, cgroups: Texts, kind: NodeRoot['kind'] = 'folder'): NodeRoot {
  return {
    kind,
    name: '/node',
    files: new LiteralTree(files),
    cgroups: new LiteralTree(cgroups),
    isFake: true,
  };
}

const UNIFIED = 'cgroup2 /sys/fs/cgroup cgroup2 rw,nsdelegate 0 0\n';
const V1 = 'cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\n';
const LAYOUT = cgroupLayout('cgroupfs', '/top');
const CONTROLLERS = { 'cgroup.controllers': 'cpu memory\n' };

describe('what cgroup v2 is', () => {
  it('has each level with its controllers, and protection of those above', () => {
    const facts = cgroupFacts(
      root(
        { 'proc/mounts': UNIFIED },
        {
          ...CONTROLLERS,
          'cgroup.subtree_control': 'memory\n',
          'top/memory.min': '0\n',
          'top/memory.low': 'max\n',
          'top/kubepods/cgroup.controllers': 'memory\n',
          'top/kubepods/cgroup.kill': '',
          'top/kubepods/burstable/memory.low': '0\n',
        },
      ),
      LAYOUT,
      false,
    );
    expect(facts).toEqual({
      mountPoint: '/node/',
      hierarchy: 'unified',
      options: ['rw', 'nsdelegate'],
      rootRead: 'read',
      levels: [
        { cgroup: '', role: 'root', isThere: true, controllers: ['cpu', 'memory'], handsDown: ['memory'] },
        { cgroup: 'top', role: 'above', isThere: true },
        { cgroup: 'top/kubepods', role: 'kubepods', isThere: true, controllers: ['memory'] },
        { cgroup: 'top/kubepods/burstable', role: 'tier', isThere: true },
        { cgroup: 'top/kubepods/besteffort', role: 'tier', isThere: false },
      ],
      kubepods: 'top/kubepods',
      files: { 'cgroup.kill': true, 'cgroup.freeze': false, 'memory.reclaim': false, 'memory.peak': false },
      ancestors: [{ cgroup: 'top', min: 0n, low: 'max' }],
    });
  });
  it.each<[string, Texts, string | undefined]>([
    ['unified', { 'proc/mounts': UNIFIED }, 'unified'],
    ['hybrid', { 'proc/mounts': V1 + UNIFIED.replace('/cgroup ', '/cgroup/unified ') }, 'hybrid'],
    ['of version 1', { 'proc/mounts': V1 }, 'v1'],
    [
      'unified beside old hierarchies without memory',
      { 'proc/mounts': `${UNIFIED}c /s cgroup rw,net_cls 0 0\n` },
      'unified',
    ],
    ['not there', { 'proc/mounts': 'proc /proc proc rw 0 0\n' }, 'none'],
    ['not known', {}, undefined],
  ])('is %s by the mounts', (_name, files, hierarchy) => {
    expect(cgroupFacts(root(files, CONTROLLERS), LAYOUT, false).hierarchy).toBe(hierarchy);
  });
  it('has its files from any other cgroup where there are no pods, and from none on another hierarchy', () => {
    const cgroups = { ...CONTROLLERS, 'init.scope/memory.peak': '0\n' };
    expect(cgroupFacts(root({}, cgroups), LAYOUT, false).files['memory.peak']).toBe(true);
    expect(cgroupFacts(root({}, { 'blkio/tasks': '1\n' }), LAYOUT, false).files).toEqual({});
    expect(cgroupFacts(root({}, CONTROLLERS), LAYOUT, false).files).toEqual({});
  });
  it('says what could not be read, and why it cannot be used', () => {
    const facts = cgroupFacts(root({}, { 'cgroup.controllers': '!EACCES' }), LAYOUT, false);
    expect(facts.rootRead).toEqual({ code: 'EACCES' });
    expect(facts.fault).toBe(
      '/node/cgroup.controllers cannot be read (EACCES), so it is not known whether this node has cgroup v2',
    );
    expect(cgroupFacts(root({}, {}), LAYOUT, false).rootRead).toBe('missing');
  });
});

const NO_NATIVE = { lack: 'koffi is not there' };

/** A native part whose triggers and pidfds end as they are told to; what was armed and not disarmed is counted. */
class ToldNative implements Native {
  readonly tried: string[] = [];
  armed = 0;
  readonly #codes: readonly (string | undefined)[];

  constructor(...codes: readonly (string | undefined)[]) {
    this.#codes = codes;
  }

  armPressureTrigger(path: string, trigger: string): ReturnType<Native['armPressureTrigger']> {
    const code = this.#codes[this.tried.length];
    this.tried.push(`${path} ${trigger}`);
    if (code !== undefined) return { ok: false, code };
    this.armed += 1;
    const disarm = (): void => {
      this.armed -= 1;
    };
    return { ok: true, value: { disarm } };
  }

  pidfdOpen(): NativeResult<number> {
    return { ok: false, code: 'ENOSYS' };
  }

  pidfdSendSignal(): NativeResult<void> {
    throw new Error('the doctor signals nobody');
  }

  sendDatagram(): NativeResult<void> {
    throw new Error('the doctor tells nobody');
  }
}

describe('memory pressure', () => {
  const PSI = {
    'proc/pressure/memory': 'some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n',
    'proc/cmdline': 'quiet psi=1 ro\n',
    'boot/config-6.1.0': 'CONFIG_PSI=y\n# CONFIG_PSI_DEFAULT_DISABLED is not set\n',
  };
  it('is tried on this machine alone, and nothing stays armed', () => {
    const native = new ToldNative();
    expect(pressureFacts(root(PSI, {}, 'host'), '6.1.0', native)).toEqual({
      memory: 'read',
      file: '/node/proc/pressure/memory',
      bootOption: '1',
      built: 'on',
      trigger: { windowSeconds: 1 },
    });
    expect(native.armed).toBe(0);
    expect(native.tried).toEqual(['/node/proc/pressure/memory some 150000 1000000']);
    const other = new ToldNative();
    expect(pressureFacts(root(PSI, {}), undefined, other).trigger).toBe(undefined);
    expect(other.tried).toEqual([]);
  });
  it('is tried with the window that anybody may have, where the shorter one is refused', () => {
    const trigger = (...codes: readonly (string | undefined)[]): unknown =>
      pressureFacts(root(PSI, {}, 'host'), '6.1.0', new ToldNative(...codes)).trigger;
    expect(trigger('EINVAL')).toEqual({ windowSeconds: 2 });
    expect(trigger('EINVAL', 'EINVAL')).toEqual({ code: 'EINVAL' });
    expect(trigger('EACCES')).toEqual({ code: 'EACCES' });
    expect(pressureFacts(root(PSI, {}, 'host'), '6.1.0', NO_NATIVE).trigger).toBe(undefined);
  });
  it.each<[string, Texts, unknown]>([
    ['is not there', {}, 'missing'],
    ['is off', { 'proc/pressure/memory': '!EOPNOTSUPP' }, { code: 'EOPNOTSUPP' }],
    ['is not pressure', { 'proc/pressure/memory': 'hello\n' }, { code: 'EINVAL' }],
  ])('%s', (_name, files, memory) => {
    expect(pressureFacts(root(files, {}, 'host'), '6.1.0', new ToldNative())).toEqual({
      memory,
      file: '/node/proc/pressure/memory',
    });
  });
  it.each([
    ['# CONFIG_PSI is not set\n', 'no'],
    ['CONFIG_PSI=y\nCONFIG_PSI_DEFAULT_DISABLED=y\n', 'off-by-default'],
    ['CONFIG_PSI=y\n', 'on'],
  ])('is built as %j', (text, built) => {
    const facts = pressureFacts(root({ 'boot/config-6.1.0': text }, {}), '6.1.0', NO_NATIVE);
    expect(facts.built).toBe(built);
  });
});

describe('the kernel', () => {
  const machine = { pageSizeBytes: 4096, kernelRelease: '6.1.0', memoryCapacityBytes: 4096n, warnings: [] };
  const unknown = { code: 'page-size-unknown', message: '', cgroup: null, pod: null };
  it('tells what the machine tells, and swap', () => {
    const files = { 'proc/meminfo': 'MemTotal: 4 kB\nSwapTotal:       2048 kB\n' };
    expect(kernelFacts(root(files, {}), { machine, isPageSizeGiven: false, native: NO_NATIVE })).toEqual({
      release: '6.1.0',
      memoryCapacityBytes: 4096n,
      swapTotalBytes: 2097152n,
    });
  });
  it('knows the page size of this machine, of a capture, and where it is given', () => {
    const look = { machine, isPageSizeGiven: false, native: NO_NATIVE };
    expect(kernelFacts(root({}, {}, 'host'), look).pageSizeBytes).toBe(4096);
    expect(kernelFacts(root({}, {}), { ...look, isPageSizeGiven: true }).pageSizeBytes).toBe(4096);
    const unsure = { ...look, machine: { ...machine, warnings: [unknown] } };
    expect(kernelFacts(root({}, {}, 'host'), unsure).pageSizeBytes).toBe(undefined);
  });
  it('is asked for a pidfd on this machine alone', () => {
    const look = { machine, isPageSizeGiven: false, native: new ToldNative() };
    expect(kernelFacts(root({}, {}, 'host'), look).pidfd).toEqual({ code: 'ENOSYS' });
    expect(kernelFacts(root({}, {}), look).pidfd).toBe(undefined);
  });
});

describe('other agents', () => {
  const list = (isWhole: boolean, ...comms: readonly string[]): Parameters<typeof findOomd>[0] => ({
    processes: comms.map((comm, index) => ({ pid: index + 10, comm, argv: [] })),
    isWhole,
  });
  const services = new LiteralTree({
    'system.slice/systemd-oomd.service/cgroup.procs': '7\n',
    'system.slice/nohang.service/cgroup.procs': '8\n',
  });
  const none = new LiteralTree({});
  it('are known by processes, else by services, sorted', () => {
    expect(otherAgents(list(true, 'koordlet', 'low-memory-moni', 'bash', 'earlyoom'), services)).toEqual([
      { name: 'earlyoom', does: 'kills', where: 'process 13' },
      { name: 'koordlet', does: 'limits', where: 'process 10' },
      { name: 'low-memory-monitor', does: 'kills', where: 'process 11' },
      { name: 'nohang', does: 'kills', where: 'system.slice/nohang.service' },
    ]);
  });
  it('are none only where all processes are seen', () => {
    expect(otherAgents(list(true, 'bash'), none)).toEqual([]);
    expect(otherAgents(list(false, 'bash'), none)).toBe(undefined);
    expect(otherAgents(list(false, 'senpai'), none)).toHaveLength(1);
  });
  it('systemd-oomd is one of its own', () => {
    expect(findOomd(list(true, 'systemd-oomd'), services)).toBe('process 10');
    expect(findOomd(list(false), services)).toBe('system.slice/systemd-oomd.service');
    expect([findOomd(list(true), none), findOomd(list(false), none)]).toEqual([null, undefined]);
  });
});

describe('drop-ins of units', () => {
  const SCOPE = `cri-containerd-${'a'.repeat(64)}.scope`;
  const files = new LiteralTree({
    'etc/systemd/system/kubepods.slice.d/10-mine.conf': '[Slice]\nMemoryHigh=1G\n# MemoryMin=1\n',
    'etc/systemd/system/kubepods.slice.d/README': 'MemoryHigh=1G\n',
    'etc/systemd/system/ssh.service.d/x.conf': 'MemoryHigh=1G\n',
    'etc/systemd/system/my-kubepods-burstable.slice': '[Slice]\n MemoryLow = 1G\nMemoryMin=1\nMemoryLow=2\n',
    'run/systemd/system.control/kubepods.slice.d/50-MemoryHigh.conf': '[Slice]\nMemoryHigh=2G\n',
    'run/systemd/system.control/kubepods.slice.d/50-MemoryMin.conf': '[Slice]\nMemoryMin=2G\n',
    [`run/systemd/transient/${SCOPE}.d/50-MemoryLow.conf`]: '[Scope]\nMemoryLow=4096\n',
    'run/systemd/transient/kubepods-besteffort.slice.d/50-MemoryMax.conf': '[Slice]\nMemoryMax=4096\n',
    'usr/lib/systemd/system/kubepods.slice.d/a.conf': '!EACCES',
  });
  it('count where they set a memory limit of pods and nodeqos did not', () => {
    const own = (unit: string, key: string): boolean => unit === 'kubepods.slice' && key === 'MemoryMin';
    expect(unitDropIns(files, own)).toEqual({
      units: [
        { file: '/node/etc/systemd/system/kubepods.slice.d/10-mine.conf', keys: ['MemoryHigh'] },
        { file: '/node/etc/systemd/system/my-kubepods-burstable.slice', keys: ['MemoryLow', 'MemoryMin'] },
        {
          file: '/node/run/systemd/system.control/kubepods.slice.d/50-MemoryHigh.conf',
          keys: ['MemoryHigh'],
        },
        { file: `/node/run/systemd/transient/${SCOPE}.d/50-MemoryLow.conf`, keys: ['MemoryLow'] },
      ],
      hidden: ['/node/usr/lib/systemd/system/kubepods.slice.d/a.conf'],
    });
  });
});

describe('values of others', () => {
  const layout = cgroupLayout('cgroupfs', '/');
  const tree = new LiteralTree({
    'kubepods/memory.min': '4096\n',
    'kubepods/memory.low': '0\n',
    'kubepods/memory.high': 'max\n',
    'kubepods/podx/memory.high': '8192\n',
    'kubepods/podx/memory.low': '12288\n',
    'kubepods/podx/memory.min': '!EACCES',
    'system.slice/memory.min': '4096\n',
  });
  const record = (file: 'memory.low' | 'memory.high', written: string, inode = 1n) =>
    [`kubepods/podx/${file}`, { cgroup: 'kubepods/podx', file, inode, before: '0\n', written }] as const;
  it('are those that no journal holds', () => {
    const records = new Map([record('memory.high', '8192')]);
    expect(foreignValues(tree, layout, { records })).toEqual({
      found: ['kubepods/memory.min 4096', 'kubepods/podx/memory.low 12288'],
      own: 1,
    });
  });
  it('are those that were changed since, and of cgroups that were made anew', () => {
    const records = new Map([record('memory.high', '4096'), record('memory.low', '12288', 2n)]);
    expect(foreignValues(tree, layout, { records })).toEqual({
      found: ['kubepods/memory.min 4096', 'kubepods/podx/memory.high 8192', 'kubepods/podx/memory.low 12288'],
      own: 0,
    });
  });
  it('are all that are set where there is no journal to tell', () => {
    expect(foreignValues(tree, layout, { lack: 'it stayed there' })).toEqual({
      found: ['kubepods/memory.min 4096', 'kubepods/podx/memory.high 8192', 'kubepods/podx/memory.low 12288'],
      own: 0,
      journalLack: 'it stayed there',
    });
    expect(foreignValues(new LiteralTree({}), layout, { records: new Map() })).toEqual({ found: [], own: 0 });
  });
});
