import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runProgram } from '../../agent/cli/program.ts';
import { NodeFolder } from '../fakes/node-folder.ts';
import { RecordingIo } from '../fakes/recording-io.ts';

const fixtures = process.env['NODEQOS_FIXTURES'];
if (fixtures === undefined) {
  console.info('Traces of real kubelets are skipped: NODEQOS_FIXTURES does not name their folder.');
}

const folder = join(fixtures ?? '', 'kubelet-api');
let node: NodeFolder;

beforeEach(() => {
  node = new NodeFolder();
  node.write({
    'kubelet.yaml':
      'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nevictionHard: {memory.available: 99%}\n',
  });
});

afterEach(() => {
  node.remove();
});

async function run(...args: readonly string[]): Promise<string> {
  const io = new RecordingIo();
  expect([await runProgram(args, io), io.stderr.replace(/^.*: 1 observation\n/, '')]).toEqual([0, '']);
  return io.stdout;
}

interface Looked {
  readonly evict: { readonly name: string } | null;
}

async function victims(trace: string, compat: string): Promise<readonly (string | undefined)[]> {
  const config = ['--kubelet-config', node.path('kubelet.yaml'), '--compat', compat];
  const lines = await run('replay', trace, ...config, '-o', 'jsonl');
  return lines
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as Looked).evict?.name);
}

/** Who is first in the order of `rank` among those that may go. */
async function ranked(stats: string, pods: string, compat: string): Promise<string | undefined> {
  const args = ['--offline', '--pods', pods, '--stats', stats, '--compat', compat, '-o', 'json'];
  const { order } = JSON.parse(await run('rank', ...args)) as {
    readonly order: readonly { readonly name: string; readonly evictable: boolean }[];
  };
  return order.find(({ evictable }) => evictable)?.name;
}

describe.skipIf(fixtures === undefined)('answers of real kubelets as a trace', () => {
  it.each(
    ['1.31', '1.34'].flatMap((version) => ['kubelet', 'nodeqos'].map((compat) => [version, compat] as const)),
  )('%s loses the pod that rank names first by the rules of %s', async (version, compat) => {
    const pods = join(folder, `L-${version}-kubelet-pods.json`);
    const stats = `summary:${join(folder, `${version}-kubelet-stats-summary.json`)}`;
    const trace = node.path('trace.jsonl');
    const from = ['--root', node.root, '--pods', pods, '--stats', stats];
    await run('record', ...from, '--out', trace, '--duration', '0');
    const first = await ranked(stats, pods, compat);
    expect(first).toBeDefined();
    expect(await victims(trace, compat)).toEqual([first]);

    // The same with the pods as the kubelet has answered them, on a second line of the same moment.
    const line = JSON.parse(readFileSync(trace, 'utf8')) as object;
    const { items } = JSON.parse(readFileSync(pods, 'utf8')) as { readonly items: readonly object[] };
    writeFileSync(trace, `${JSON.stringify({ ...line, pods: items })}\n`);
    expect(await victims(trace, compat)).toEqual([first]);
  });
});
