import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AgentOnNode } from './agent-on-node.ts';
import { nodeqos } from './binary.ts';
import { normalised } from './normalised.ts';

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn('skipped: beside a live kubelet (only a process of root is taken for one)');

let on: AgentOnNode;

beforeAll(() => {
  on = new AgentOnNode();
});
afterAll(async () => {
  await on.remove();
});

/** How it ends at once, with one sentence and without a trace. */
function refusal(status: number, ...args: readonly string[]): string {
  const before = on.node.traces();
  const run = nodeqos(['run', '--once', '--root', on.node.root, ...args]);
  expect([run.status, run.stdout], run.stderr).toEqual([status, '']);
  expect(run.stderr).not.toMatch(/^\s+at /m);
  expect(on.node.traces()).toEqual(before);
  const sentences = run.stderr.split('\n').filter((line) => line !== '' && !line.startsWith('warning: '));
  expect(sentences).toHaveLength(1);
  return (sentences[0] ?? '').replaceAll(on.node.root, 'NODE');
}

describe('run that does not start', () => {
  const head = 'apiVersion: nodeqos.dev/v1alpha1\nkind: NodeQosConfiguration\n';

  it.each<[number, readonly string[], string]>([
    [
      64,
      ['--dry-run', '--enforce'],
      'nodeqos: --dry-run and --enforce exclude each other; give one of them, or neither',
    ],
    [
      64,
      ['--offline'],
      'nodeqos: run looks at a node, so it takes no --offline; replay decides on what was recorded',
    ],
    [
      64,
      ['--interval', 'soon'],
      'nodeqos: --interval soon: "soon" is not a duration; write a number with its unit, such as 30s or 1m30s',
    ],
    [64, ['--interval', '9ms'], 'nodeqos: --interval 9ms: give a duration from 10ms to 1h, such as 1s'],
    [64, ['--interval', '3601s'], 'nodeqos: --interval 3601s: give a duration from 10ms to 1h, such as 1s'],
    [
      64,
      ['--listen', 'anywhere'],
      'nodeqos: --listen anywhere is no address to listen at; write ADDR:PORT, unix:PATH or none',
    ],
    [66, ['--pods', '/nowhere'], 'nodeqos: /nowhere: there is no such file; check the path'],
    [66, ['--config', '/nowhere'], 'nodeqos: /nowhere: there is no such file; check the path'],
    [66, ['--kubelet-config', '/nowhere'], 'nodeqos: /nowhere: there is no such file; check the path'],
    [
      66,
      ['--once', '--pods', 'api'],
      'nodeqos: nothing says where the API server is: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set, since this is no pod of a cluster; name a kubeconfig as api.kubeconfig',
    ],
    [
      64,
      ['--pods', 'cri:'],
      'nodeqos: cri: names no socket; give its path, such as cri:/run/containerd/containerd.sock',
    ],
    [
      64,
      ['--stats', 'kubelet:ftp://localhost'],
      'nodeqos: what is named as the URL of a kubelet is no URL of one; give https://HOST:10250, or http://HOST:10255 for a read-only port',
    ],
    [
      64,
      ['--stats', 'tree'],
      'nodeqos: --stats tree: give cgroup, summary:PATH (a saved kubelet /stats/summary) or kubelet:URL',
    ],
  ])('%i: %j', (status, args, sentence) => {
    expect(refusal(status, ...args)).toBe(sentence);
  });

  it('65: pods that are none', () => {
    const file = on.node.write(
      'given.yaml',
      'kind: Pod\nmetadata: {name: a, uid: u}\n---\nkind: Pod\nmetadata: {name: b, uid: u}\n',
    );
    expect(refusal(65, '--pods', file)).toBe(
      'nodeqos: NODE/given.yaml: the UID u occurs 2 times (default/a, default/b); each pod must be there once',
    );
  });

  it.each([
    [
      'nodeqos.yaml',
      '--config',
      `${head}mode: act\n`,
      /^nodeqos: NODE\/given\.yaml:3:1: mode: got a string "act"; write dry-run or enforce$/,
    ],
    [
      'KubeletConfiguration',
      '--kubelet-config',
      'kind: KubeletConfiguration\napiVersion: kubelet.config.k8s.io/v1beta1\nmemoryThrottlingFactor: 2\n',
      /^nodeqos: NODE\/given\.yaml:3:1: memoryThrottlingFactor: 2 must be /,
    ],
    [
      'to act beside a kubelet on its own thresholds',
      '--config',
      `${head}eviction: {alongsideKubelet: act}\n`,
      /^nodeqos: NODE\/given\.yaml:3:12: eviction\.alongsideKubelet: act needs eviction\.thresholds, /,
    ],
    ['YAML', '--config', 'mode: [\n', /^nodeqos: NODE\/given\.yaml:2:1: is not YAML: /],
  ])('78: a configuration that check refuses (%s)', (_what, option, text, sentence) => {
    expect(refusal(78, option, on.node.write('given.yaml', text))).toMatch(sentence);
  });

  it.each([
    [
      78,
      'pods: {source: "kubelet:ftp://b"}',
      'what is named as the URL of a kubelet is no URL of one; give https://HOST:10250',
    ],
    [
      78,
      'stats: {source: "kubelet:b"}',
      'what is named as the URL of a kubelet is no URL of one; give https://HOST:10250',
    ],
    // What is missing may come: the service tries again.
    [66, 'pods: {source: "file:/none"}', 'NODE/none: there is no such file; check the path'],
    [66, 'pods: {source: "dir:/none"}', 'NODE/none: there is no such folder; check the path after dir:'],
  ])('%i: %s', (status, text, sentence) => {
    const config = on.node.write('sources.yaml', `${head}${text}\n`);
    expect(refusal(status, '--config', config)).toContain(`nodeqos: ${sentence}`);
  });

  it('64: a captured node', () => {
    const folder = mkdtempSync(join(tmpdir(), 'nodeqos-captured-'));
    const archive = join(folder, 'node.tar.gz');
    expect(nodeqos(['capture', archive, '--root', on.node.root]).status).toBe(0);
    expect(refusal(64, '--root', archive)).toBe(
      `nodeqos: ${archive} is a captured node, which cannot be written to; use plan on it`,
    );
    rmSync(folder, { recursive: true });
  });

  it('69: a folder without cgroup v2', () => {
    expect(refusal(69, '--cgroup-root', on.node.path('proc'))).toBe(
      'nodeqos: NODE/proc/cgroup.controllers is not there, so this is no cgroup v2 node; --root or --cgroup-root may name the wrong folder',
    );
  });

  it('75: another one runs, and is named', async () => {
    const first = await on.started([]);
    const { pid } = first.child;
    const second = nodeqos(['run', '--once', '--root', on.node.root, '--listen', 'none']);
    expect([second.status, second.stdout]).toEqual([75, '']);
    expect(normalised(second.stderr.split('\n').at(-2) ?? '', on.node.root)).toBe(
      `nodeqos: NODE/var/lib/nodeqos/lock: nodeqos run (PID N) has written here since TIME; only one may write, try again when it has ended`,
    );
    expect(second.stderr).toContain(`PID ${pid}`);
    expect(on.records('start')).toHaveLength(1);
    expect(nodeqos(['apply', '--root', on.node.root]).status).toBe(75);
    expect(await first.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});

/** A process of root that calls itself kubelet. */
class FakeKubelet {
  readonly #folder = mkdtempSync(join(tmpdir(), 'nodeqos-kubelet-'));
  readonly #child: ChildProcess;

  constructor() {
    const program = join(this.#folder, 'kubelet');
    copyFileSync('/bin/sleep', program);
    this.#child = spawn(program, ['60'], { stdio: 'ignore' });
  }

  async end(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
    rmSync(this.#folder, { recursive: true });
  }
}

describe.skipIf(!isRoot)('run beside a live kubelet', () => {
  let kubelet: FakeKubelet;
  beforeEach(() => {
    kubelet = new FakeKubelet();
  });
  afterEach(async () => {
    await kubelet.end();
  });

  /** On this machine, whose processes are seen, but with the cgroups and the state of the fake node. */
  function beside(...lines: readonly string[]) {
    on.configure(`stateDir: ${on.node.state}`, ...lines);
    const files = ['--config', on.node.path('etc/nodeqos/nodeqos.yaml'), '--pods', on.node.path('pods.json')];
    const kubeletConfig = ['--kubelet-config', on.node.path('var/lib/kubelet/config.yaml')];
    const root = ['--cgroup-root', on.node.mount, '--memory-capacity', '2Gi'];
    return nodeqos(['run', '--once', '--enforce', '--listen', 'none', ...files, ...kubeletConfig, ...root]);
  }

  it('78: told to act where all that it has is the cgroups, behind the back of the kubelet', () => {
    const { status, stdout, stderr } = beside(
      'eviction: {alongsideKubelet: act, thresholds: {hard: {memory.available: 300Mi}}}',
    );
    expect([status, stdout]).toEqual([78, '']);
    expect(stderr).toMatch(
      /nodeqos: .*kubelet.*, and eviction\.alongsideKubelet is act: that needs an evictor other than cgroup, since the kubelet starts again what is killed behind its back\n$/,
    );
  });

  it('observes: evictions stay dry, and Memory QoS goes on', () => {
    const { status, stdout, stderr } = beside('memoryQos: {throttlingFactor: 0.9}');
    expect(status).toBe(0);
    const because = expect.stringMatching(/kubelet.*, which evicts by itself/) as string;
    expect(
      `${stdout}${stderr}`.match(/evictions.* dry: .*kubelet.*, which evicts by itself/g),
      stdout,
    ).toHaveLength(1);
    expect(on.records('start').at(-1)).toMatchObject({ evictions: 'dry', because });
    expect(on.records('standing').at(-1)).toMatchObject({ evictions: 'dry', because });
    expect(stdout).toContain('would evict bakery/flour-report-28841760-kk8dp');
    expect(stdout).toContain('wrote memory.high');
    expect(on.kernel.killed).toEqual([]);
    expect(on.records('eviction').at(-1)).toMatchObject({ outcome: 'dry-run', mode: 'enforce', because });
  });
});
