import { afterAll, beforeAll, expect, it } from 'vitest';
import { runProgram } from '../../../../agent/cli/program.ts';
import { podGroupNamed, podNamed } from '../../../fakes/cluster.ts';
import { roomy } from '../../../fakes/group-cluster.ts';
import { NodeFolder } from '../../../fakes/node-folder.ts';
import { RecordingIo } from '../../../fakes/recording-io.ts';

const member = podNamed('a', {
  requests: { cpu: '1' },
  node: 'n',
  spec: { schedulingGroup: { podGroupName: 'job' } },
});
const items = [
  podNamed('p', { priority: 'high', requests: { cpu: '1' } }),
  podGroupNamed('job', { parentCompositePodGroupName: 'gone' }),
  roomy('n', 1),
  member,
];

let files: NodeFolder;
beforeAll(() => {
  files = new NodeFolder({}, { 'cluster.json': JSON.stringify({ kind: 'List', items }) });
});
afterAll(() => {
  files.remove();
});

async function codes(...args: readonly string[]): Promise<readonly string[]> {
  const io = new RecordingIo();
  const asked = ['preempt', '--snapshot', files.path('cluster.json'), '--pod', 'default/p', '-o', 'json'];
  await runProgram([...asked, ...args], io);
  const { warnings } = JSON.parse(io.stdout) as { warnings: readonly { readonly code: string }[] };
  expect(io.warnings).toHaveLength(warnings.length);
  return warnings.map(({ code }) => code);
}

it('preempt tells of the groups of pods that would go, where such groups count', async () => {
  expect(await codes()).toEqual(['parent-not-in-snapshot']);
  expect(await codes('--compat', '1.36')).toEqual([]);
  expect(await codes('--kubelet', 'n')).toEqual([]);
});
