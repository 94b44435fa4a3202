import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { checkCommand } from '../../agent/cli/check.ts';
import { type ConfigReport, configReport, configReportText } from '../../agent/cli/check-report.ts';
import type { Io } from '../../agent/cli/console/io.ts';
import type { ExitStatus } from '../../agent/exit.ts';
import { Failure } from '../../agent/exit.ts';
import { readKubeletConfiguration } from '../../config/kubelet/read.ts';
import { readNodeQosConfiguration } from '../../config/nodeqos/read.ts';

const KUBELET = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
const NODEQOS = 'apiVersion: nodeqos.dev/v1alpha1\nkind: NodeQosConfiguration\n';

/** Collects what a command says. */
class RecordingIo implements Io {
  outText = '';
  errText = '';
  readonly warnings: string[] = [];
  readonly isTerminal = false;
  readonly columns = 100;
  readonly env = {};
  readonly signal: AbortSignal;

  constructor(signal: AbortSignal = new AbortController().signal) {
    this.signal = signal;
  }

  out(text: string): void {
    this.outText += text;
  }

  err(text: string): void {
    this.errText += text;
  }

  warn(message: string): void {
    this.warnings.push(message);
  }
}

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'nodeqos-check-'));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

function write(path: string, text: string): string {
  const file = join(root, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
  return file;
}

interface Options {
  readonly kubeletConfig?: string;
  readonly kubeletConfigDir?: string;
  readonly config?: string;
  readonly output?: 'table' | 'json' | 'yaml';
  readonly watch?: boolean;
}

async function check(io: Io, options: Options): Promise<ExitStatus> {
  return checkCommand.run(
    {
      root,
      cgroupRoot: undefined,
      kubeletConfig: undefined,
      kubeletConfigDir: undefined,
      config: undefined,
      output: 'json',
      watch: false,
      ...options,
    },
    io,
  );
}

async function report(options: Options): Promise<readonly [ExitStatus, ConfigReport]> {
  const io = new RecordingIo();
  const status = await check(io, options);
  return [status, JSON.parse(io.outText) as ConfigReport];
}

async function failure(options: Options): Promise<readonly [number, string]> {
  try {
    await check(new RecordingIo(), options);
  } catch (error) {
    if (error instanceof Failure) {
      return [error.status, error.message.replaceAll(root, 'ROOT')];
    }
    throw error;
  }
  throw new Error('no failure');
}

describe('check', () => {
  it('gives the whole report of a good configuration', async () => {
    const file = write(
      'kubelet.yaml',
      `${KUBELET}evictionHard: {memory.available: 10.5%}\nevictionSoft: {pid.available: "2000"}\nevictionSoftGracePeriod: {pid.available: 1m30s}\nevictionMinimumReclaim: {memory.available: 150%, pid.available: "0"}\nkubeReserved: {memory: 1.5Gi, cpu: "0.07"}\nmemoryThrottlingFactor: 0.9\n`,
    );
    expect(await report({ kubeletConfig: file })).toEqual([
      0,
      {
        apiVersion: 'nodeqos.dev/v1alpha1',
        kind: 'ConfigReport',
        valid: true,
        errors: [],
        warnings: [
          {
            file,
            line: 3,
            column: 1,
            path: 'evictionHard',
            message:
              'without nodefs.available (10%), nodefs.inodesFree (5%), imagefs.available (15%), imagefs.inodesFree (5%): giving evictionHard turns off the defaults that it does not name; add them, or set mergeDefaultEvictionSettings: true in the main file',
          },
        ],
        effective: {
          evictionThresholds: [
            {
              signal: 'allocatableMemory.available',
              type: 'hard',
              value: { percentage: 0.10499999672174454 },
              gracePeriodMs: 0,
              minReclaim: { percentage: 1.5 },
              derived: true,
            },
            {
              signal: 'memory.available',
              type: 'hard',
              value: { percentage: 0.10499999672174454 },
              gracePeriodMs: 0,
              minReclaim: { percentage: 1.5 },
              derived: false,
            },
            {
              signal: 'pid.available',
              type: 'soft',
              value: { quantity: 2000 },
              gracePeriodMs: 90_000,
              minReclaim: { quantity: 0 },
              derived: false,
            },
          ],
          evictionPressureTransitionPeriodMs: 300_000,
          evictionMaxPodGracePeriodSeconds: 0,
          memoryThrottlingFactor: 0.9,
          memoryReservationPolicy: 'None',
          memoryQosGate: true,
          cgroupDriver: 'cgroupfs',
          cgroupRoot: '/',
          kubeReserved: { memory: '1536Mi', cpu: '70m' },
          systemReserved: {},
          enforceNodeAllocatable: ['pods'],
          staticPodPath: null,
        },
      },
    ]);
  });

  it('exits 1 with every error of both files, nodeqos.yaml first', async () => {
    const kubeletConfig = write('kubelet.yaml', `${KUBELET}maxPods: x\n`);
    const config = write('nodeqos.yaml', `${NODEQOS}mode: x\n`);
    const [status, { valid, errors, effective }] = await report({ kubeletConfig, config });
    expect([status, valid, effective]).toEqual([1, false, undefined]);
    expect(errors).toEqual([
      {
        file: config,
        line: 3,
        column: 1,
        path: 'mode',
        message: 'got a string "x"; write dry-run or enforce',
      },
      {
        file: kubeletConfig,
        line: 3,
        column: 1,
        path: 'maxPods',
        message: 'expected a whole number, got a string "x"; write a whole number or remove the key',
      },
    ]);
  });

  it('exits 1 for what does not parse, an empty file and junk', async () => {
    for (const text of ['a: [', '', '\u0000']) {
      expect((await report({ kubeletConfig: write('k', text) }))[0]).toBe(1);
      expect((await report({ config: write('n', text) }))[0]).toBe(1);
    }
  });

  it('finds the files of the root, and what nodeqos.yaml says of them', async () => {
    write('var/lib/kubelet/config.yaml', `${KUBELET}cgroupDriver: systemd\n`);
    expect((await report({}))[1].effective?.cgroupDriver).toBe('systemd');
    write(
      'etc/nodeqos/nodeqos.yaml',
      `${NODEQOS}kubeletConfiguration: {file: /etc/k.yaml, dropInDir: /etc/k.d}\n`,
    );
    write('etc/nodeqos/nodeqos.yaml.d/10.yaml', 'memoryQos: {throttlingFactor: 0.5}\n');
    write('etc/nodeqos/nodeqos.yaml.d/11.conf', 'x');
    write('etc/k.yaml', `${KUBELET}cgroupRoot: /a\n`);
    write('etc/k.d/10.conf', `${KUBELET}cgroupRoot: /b\n`);
    write('etc/k.d/20.yaml', 'x');
    const [, { effective }] = await report({});
    expect([effective?.cgroupRoot, effective?.memoryThrottlingFactor]).toEqual(['/b', 0.5]);
  });

  it("warns where there is no KubeletConfiguration, and takes the kubelet's defaults", async () => {
    const io = new RecordingIo();
    expect(await check(io, {})).toBe(0);
    expect(io.warnings).toEqual([
      "no KubeletConfiguration was found, so the kubelet's defaults are used; give --kubelet-config FILE",
    ]);
    expect((JSON.parse(io.outText) as ConfigReport).effective?.evictionThresholds.length).toBe(6);
  });

  it('warns of a Node that is not there or is none, without which the agent will not start', async () => {
    const config = write('nodeqos.yaml', `${NODEQOS}taints: {evict: true, node: /etc/node.yaml}\n`);
    const warned = async () => {
      const [status, { warnings }] = await report({ kubeletConfig: write('k.yaml', KUBELET), config });
      return [status, warnings];
    };
    const told = (message: string) => [
      0,
      [
        {
          file: config,
          path: 'taints.node',
          message: `run will not start with it: ${join(root, 'etc/node.yaml')}: ${message}`,
        },
      ],
    ];
    expect(await warned()).toEqual(told('there is no such file; check the path'));
    write('etc/node.yaml', 'kind: Pod');
    expect(await warned()).toEqual(told('a v1 Node is wanted here, and this is a Pod'));
    write('etc/node.yaml', 'kind: Node\nmetadata: {name: n1}\n');
    expect(await warned()).toEqual([0, []]);
  });

  it('warns of a taint that the Node and taints.extra both state', async () => {
    const node = write(
      'etc/node.yaml',
      'kind: Node\nmetadata: {name: n1}\nspec: {taints: [{key: a, effect: NoExecute}]}\n',
    );
    const taints = (evict: boolean) =>
      `${NODEQOS}taints: {evict: ${String(evict)}, node: /etc/node.yaml, extra: ["a=b:NoExecute"]}\n`;
    const kubeletConfig = write('k.yaml', KUBELET);
    const config = write('nodeqos.yaml', taints(true));
    const [, { warnings }] = await report({ kubeletConfig, config });
    expect(warnings).toEqual([
      {
        file: config,
        path: 'taints.extra',
        message: `${node} and taints.extra both state a:NoExecute; what taints.extra states counts, once`,
      },
    ]);
    write('nodeqos.yaml', taints(false));
    expect((await report({ kubeletConfig, config }))[1].warnings).toEqual([]);
  });

  it('says which file it cannot read', async () => {
    const folder = join(root, 'folder');
    mkdirSync(folder);
    expect(await failure({ kubeletConfig: join(root, 'none') })).toEqual([
      66,
      'ROOT/none: there is no such file; check the path',
    ]);
    expect(await failure({ config: join(root, 'none') })).toEqual([
      66,
      'ROOT/none: there is no such file; check the path',
    ]);
    expect(await failure({ kubeletConfig: folder })).toEqual([
      66,
      'ROOT/folder: this is a folder; a file was expected',
    ]);
    expect(await failure({ kubeletConfigDir: join(root, 'none') })).toEqual([
      66,
      'ROOT/none: there is no such folder; check the path',
    ]);
  });

  it.skipIf(process.getuid?.() === 0)('says which file it may not read', async () => {
    const file = write('secret', 'x');
    chmodSync(file, 0);
    expect((await failure({ kubeletConfig: file }))[0]).toBe(77);
  });

  it('prints YAML with the same content', async () => {
    const io = new RecordingIo();
    await check(io, { output: 'yaml' });
    expect(parse(io.outText)).toEqual((await report({}))[1]);
  });

  it('checks again at every change until it is stopped', async () => {
    const file = write('k.yaml', `${KUBELET}maxPods: 1\n`);
    const stop = new AbortController();
    const io = new RecordingIo(stop.signal);
    const running = check(io, { kubeletConfig: file, watch: true, output: 'table' });
    await vi.waitFor(
      () => {
        writeFileSync(file, `${KUBELET}maxPods: x\n`);
        expect(io.outText).toContain('The configuration is not valid.');
      },
      { timeout: 10_000, interval: 400 },
    );
    rmSync(file);
    await vi.waitFor(
      () => {
        expect(io.errText).toContain('there is no such file');
      },
      { timeout: 10_000 },
    );
    stop.abort();
    expect(await running).toBe(66);
  });
});

describe('the report for people', () => {
  const text = (kubelet: string): string =>
    configReportText(
      configReport(
        readKubeletConfiguration({ file: 'k', text: KUBELET + kubelet }, []),
        readNodeQosConfiguration(undefined, []),
      ),
    );

  it('shows what is in force', () => {
    expect(
      text(
        'evictionHard: {memory.available: 100Mi, nodefs.available: 10.5%, nodefs.inodesFree: "2048", imagefs.available: 1%, imagefs.inodesFree: 1%}\nevictionSoft: {pid.available: 5%}\nevictionSoftGracePeriod: {pid.available: 1m30s}\nevictionMinimumReclaim: {memory.available: 1Mi}\nkubeReserved: {cpu: 100m, memory: 1Gi}',
      ),
    ).toBe(`The configuration is valid.

SIGNAL                       TYPE  BELOW  GRACE  MIN RECLAIM
allocatableMemory.available  hard  100Mi  -      1Mi          copy of memory.available
imagefs.available            hard     1%  -      -
imagefs.inodesFree           hard     1%  -      -
memory.available             hard  100Mi  -      1Mi
nodefs.available             hard  10.5%  -      -
nodefs.inodesFree            hard   2048  -      -
pid.available                soft     5%  1m30s  -

SETTING                           VALUE
pressure transition period        5m0s
longest grace of a soft eviction  0s
memory throttling factor          none, so no memory.high
memory reservation policy         None
MemoryQoS gate                    on
cgroup driver                     cgroupfs
cgroup root                       /
kube-reserved                     cpu 100m, memory 1Gi
system-reserved                   none
enforced allocatable              pods
static pods                       none
`);
  });

  it('says that nothing is evicted without thresholds, and what else is off', () => {
    const shown = text(
      'evictionHard: {}\nenforceNodeAllocatable: []\nfeatureGates: {MemoryQoS: false}\nmemoryThrottlingFactor: 0.9\nstaticPodPath: /s',
    );
    expect(shown).toContain('\nNo eviction thresholds: nothing is evicted under pressure.\n');
    expect(shown).toMatch(/^warning: k:3:1: evictionHard: without .*\n\nThe configuration is valid\.\n/);
    expect(shown).toMatch(/MemoryQoS gate +off\n/);
    expect(shown).toMatch(/memory throttling factor +0\.9\n/);
    expect(shown).toMatch(/enforced allocatable +none\n/);
    expect(shown).toMatch(/static pods +\/s\n/);
  });

  it('lists errors and makes control characters visible', () => {
    expect(
      text('"a\\eb": 1\nmaxPods: x'),
    ).toBe(`error: k:4:1: maxPods: expected a whole number, got a string "x"; write a whole number or remove the key
warning: k:3:1: a\\u001bb: unknown field, which the kubelet drops; KubeletConfiguration has no such key: remove it or move it to where it belongs

The configuration is not valid.
`);
  });
});
