import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { doctorTable } from '../../../../agent/cli/doctor/doctor-table.ts';
import { runProgram } from '../../../../agent/cli/program.ts';
import type { DoctorCheck } from '../../../../agent/decide/doctor/check.ts';
import { doctorReport } from '../../../../agent/decide/doctor/report.ts';
import type { DoctorWork } from '../../../../agent/decide/doctor/work.ts';
import { doctorFacts } from '../../../fakes/doctor-facts.ts';
import { NodeFolder } from '../../../fakes/node-folder.ts';
import { RecordingIo } from '../../../fakes/recording-io.ts';

const KUBELET = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
const OWN = 'apiVersion: nodeqos.dev/v1alpha1\nkind: NodeQosConfiguration\n';

interface Report {
  readonly kind: string;
  readonly checks: readonly DoctorCheck[];
  readonly works: readonly DoctorWork[];
  readonly summary: Readonly<Record<string, number>>;
}

let node: NodeFolder;

beforeEach(() => {
  node = new NodeFolder({
    'kubepods/cgroup.controllers': 'cpu memory\n',
    'kubepods/cgroup.kill': '',
    'kubepods/memory.low': '0\n',
    'kubepods/memory.high': '4096\n',
    'kubepods/burstable/cgroup.controllers': 'memory\n',
  });
});

afterEach(() => {
  node.remove();
});

async function doctor(...args: readonly string[]): Promise<RecordingIo & { status: number }> {
  const io = new RecordingIo();
  const status = await runProgram(['doctor', '--root', node.root, ...args], io);
  return Object.assign(io, { status });
}

async function report(...args: readonly string[]): Promise<Report & { status: number; stderr: string }> {
  const { status, stdout, stderr } = await doctor('-o', 'json', ...args);
  return { ...(JSON.parse(stdout) as Report), status, stderr: stderr.replaceAll(node.root, 'NODE') };
}

function told({ checks, works }: Report, id: string): string {
  const check = checks.find((one) => one.id === id);
  const work = works.find((one) => one.id === id);
  const text = check === undefined ? `${work?.works}: ${work?.because}` : `${check.state}: ${check.found}`;
  return text.replaceAll(node.root, 'NODE');
}

describe('doctor', () => {
  it('ends with 0 where the main job can be done, and leaves everything as it was', async () => {
    const before = node.cgroups();
    const all = await report();
    expect([all.status, all.stderr, all.kind]).toEqual([0, '', 'DoctorReport']);
    expect(told(all, 'memory-handed-down')).toBe('ok: kubepods, burstable');
    expect(told(all, 'values-of-others')).toBe('warning: kubepods/memory.high 4096');
    expect(told(all, 'state-folder')).toBe('ok: NODE/var/lib/nodeqos is not there and can be made');
    expect(told(all, 'runtime-socket')).toBe('not-known: only the node itself tells');
    const { ok, warning, missing, notKnown } = all.summary;
    expect(Number(ok) + Number(warning) + Number(missing) + Number(notKnown)).toBe(all.checks.length);
    expect(node.cgroups()).toEqual(before);
  });

  it('takes a broken nodeqos.yaml for a finding, goes on, and ends with 69', async () => {
    node.write({ 'etc/nodeqos/nodeqos.yaml': `${OWN}mode: maybe\nlisten: 7\n` });
    const all = await report();
    expect(told(all, 'configuration')).toMatch(
      /^missing: NODE\/etc\/nodeqos\/nodeqos\.yaml:3:\d+: mode: .* \(and 1 more\)$/,
    );
    expect(told(all, 'cgroup-driver')).toBe('ok: cgroupfs, by the tree');
    expect(told(all, 'memory-qos-plan')).toMatch(/^no: nodeqos\.yaml: NODE/);
    expect([all.status, all.checks.length, all.works.length]).toEqual([69, 42, 11]);
    expect(all.stderr).toMatch(
      /^nodeqos: nodeqos cannot do its work here: nodeqos\.yaml: NODE.*; mend the file; .*\n$/,
    );
  });

  it('takes a broken KubeletConfiguration for a finding, and goes on with the defaults', async () => {
    node.write({
      'var/lib/kubelet/config.yaml': `${KUBELET}memoryThrottlingFactor: 2\ncgroupDriver: systemd\n`,
    });
    const all = await report();
    expect(told(all, 'kubelet-configuration')).toMatch(
      /^missing: NODE\/var\/lib\/kubelet\/config\.yaml:3:\d+: /,
    );
    expect(told(all, 'cgroup-driver')).toBe('ok: cgroupfs, by the tree');
    expect(all.status).toBe(69);
  });

  it('takes YAML that does not parse for a finding', async () => {
    node.write({ 'var/lib/kubelet/config.yaml': '{' });
    const all = await report();
    expect(told(all, 'kubelet-configuration')).toMatch(/^missing: /);
    expect(all.status).toBe(69);
  });

  it('takes files that are named and not there for findings', async () => {
    const all = await report('--config', '/nowhere/n.yaml', '--kubelet-config', '/nowhere/k.yaml');
    expect(told(all, 'configuration')).toBe(
      'missing: /nowhere/n.yaml: there is no such file; check the path',
    );
    expect(told(all, 'kubelet-configuration')).toBe(
      'missing: /nowhere/k.yaml: there is no such file; check the path',
    );
    expect(all.status).toBe(69);
  });

  it('says all of a hybrid host', async () => {
    node.write({
      'proc/mounts':
        'cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\ncgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n',
      'sys/fs/cgroup/cgroup.controllers': '\n',
    });
    const all = await report();
    expect(told(all, 'cgroup-mount')).toBe(
      'missing: a hybrid host: the memory controller is on the old hierarchy, beside a cgroup2 mount without it',
    );
    expect([all.status, all.checks.length, all.works.length]).toEqual([69, 42, 11]);
    expect(all.stderr).toBe(
      'nodeqos: nodeqos cannot do its work here: cgroup v2: a hybrid host: the memory controller is on the old hierarchy, beside a cgroup2 mount without it; boot with systemd.unified_cgroup_hierarchy=1\n',
    );
  });

  it('says what the configurations come to', async () => {
    node.write({
      'var/lib/kubelet/config.yaml': `${KUBELET}memoryThrottlingFactor: 0.9\nreadOnlyPort: 10255\nfeatureGates: {MemoryQoS: true}\n`,
      'etc/nodeqos/nodeqos.yaml': `${OWN}mode: enforce\napi: {kubeconfig: /nowhere/config}\nkubelet: {tokenFile: /nowhere/token}\n`,
      'node.yaml': 'kind: Node\nmetadata: {name: n1}\nstatus: {nodeInfo: {kubeletVersion: v1.36.0}}\n',
    });
    const all = await report('--node', node.path('node.yaml'));
    const ids = [
      'mode',
      'kubelet-read-only-port',
      'kubelet-memory-qos',
      'kubelet-access',
      'kubelet-version',
      'evictor-api',
    ];
    expect(ids.map((id) => told(all, id))).toEqual([
      'ok: enforce: nodeqos run writes and evicts',
      'warning: port 10255 answers without credentials',
      'not-known: its gate is on, by KubeletConfiguration',
      'missing: /nowhere/token is not there',
      'ok: v1.36.0',
      'no: there are no credentials: /nowhere/config',
    ]);
    expect(told(all, 'throttling')).toMatch(/^yes: /);
  });

  it('tells values of its own by the journal', async () => {
    const pods = node.path('pods.yaml');
    node.write({ 'pods.yaml': 'kind: List\nitems: []\n' });
    node.writeCgroups({ 'kubepods/memory.min': '4096\n' });
    const io = new RecordingIo();
    expect(await runProgram(['apply', '--root', node.root, '--pods', pods], io)).toBe(0);
    node.writeCgroups({ 'kubepods/memory.high': 'max\n' });
    expect(told(await report(), 'values-of-others')).toBe('ok: every limit is the default');
    expect(told(await report(), 'lock')).toBe('ok: free: nobody writes');
  });

  it('answers for a captured node what was captured, and no more', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'nodeqos-captured-'));
    const archive = join(folder, 'node.tar.gz');
    const io = new RecordingIo();
    expect(await runProgram(['capture', archive, '--root', node.root], io)).toBe(0);
    const all = await report('--root', archive);
    rmSync(folder, { recursive: true });
    expect(all.status).toBe(0);
    expect(
      ['page-size', 'memory-handed-down', 'state-folder', 'values-of-others', 'memory-qos-writes'].map((id) =>
        told(all, id),
      ),
    ).toEqual([
      'ok: 4096 bytes',
      'ok: kubepods, burstable',
      'not-known: it stayed on the node',
      'not-known: kubepods/memory.high 4096; the journal stayed on the node',
      'partly: a capture is not written to; what the node allows stayed there',
    ]);
  });

  it('refuses a root that is not there, and options that cannot be', async () => {
    expect((await doctor('--root', '/nowhere/node')).status).toBe(66);
    expect((await doctor('--memory-capacity', 'much')).status).toBe(64);
  });

  it('looks at the very machine that it runs on, whatever that is', async () => {
    const io = new RecordingIo();
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    node.write({ 'n.yaml': `${OWN}listen: 127.0.0.1:${port}\n` });
    const status = await runProgram(['doctor', '--config', node.path('n.yaml'), '-o', 'json'], io);
    server.close();
    const all = JSON.parse(io.stdout) as Report;
    expect([0, 69]).toContain(status);
    expect(told(all, 'listen')).toBe(`warning: somebody listens at 127.0.0.1:${port} already`);
    expect(told(all, 'user')).toMatch(/^(?:ok|warning): (?:root|user \d+)/);
    expect(told(all, 'pidfd')).not.toBe('');
  });
});

describe('a report for people', () => {
  const sound = doctorReport(doctorFacts());

  it('has at most 100 columns, however wide the terminal and however long a name', () => {
    const found = [`${'long'.repeat(60)}/memory.high 4096`];
    const long = doctorReport(
      doctorFacts({ writers: { values: { found, own: 0 } }, cgroup: { hierarchy: 'v1' } }),
    );
    const lines = doctorTable(long, { columns: 300, inColour: false }).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBe(100);
  });
  it('becomes narrow with the terminal', () => {
    const lines = doctorTable(sound, { columns: 80, inColour: false }).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });
  it('has nothing to do below what is in order', () => {
    const table = doctorTable(sound, { columns: 100, inColour: false });
    expect(table.split('\n').slice(0, 2)).toEqual([
      'KERNEL AND MACHINE',
      '  ok        Kernel                        6.1.0-25-amd64; memory.high, min and low were tried on',
    ]);
    expect(table).not.toMatch(/ (?:why|do): /);
    expect(table.endsWith('\n42 checks: 42 ok, 0 with a warning, 0 missing, 0 not known\n')).toBe(true);
  });
  it('says why and what to do below what is not', () => {
    const table = doctorTable(doctorReport(doctorFacts({ own: { lock: { kind: 'unknown' } } })), {
      columns: 100,
      inColour: false,
    });
    expect(table).toContain(
      '\n  not-known Lock                          it cannot be read\n            why: whether an agent runs is not known\n            do:  run the doctor as root\n',
    );
  });
  it('has colour on a terminal', () => {
    const table = doctorTable(sound, { columns: 100, inColour: true });
    expect(table).toContain('\u001b[1mKERNEL AND MACHINE\u001b[0m\n  \u001b[32mok\u001b[0m        Kernel  ');
  });
  it('shows no control characters of names', () => {
    const values = { found: ['a\u001b[2Jb'], own: 0 };
    expect(
      doctorTable(doctorReport(doctorFacts({ writers: { values } })), { columns: 100, inColour: false }),
    ).not.toContain('\u001b');
  });
});
