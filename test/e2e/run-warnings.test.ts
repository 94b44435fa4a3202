import { readFileSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentOnNode, onCalmNode } from './agent-on-node.ts';
import { nodeqos } from './binary.ts';

const HOUR_S = 3600;
let on: AgentOnNode;
beforeEach(() => {
  on = new AgentOnNode();
});
afterEach(async () => {
  await on.remove();
});

/** What a single tick in dry-run warns of. */
function warnings(...args: readonly string[]): readonly string[] {
  const run = nodeqos(['run', '--once', '--listen', 'none', '--root', on.node.root, ...args]);
  expect(run.status, run.stderr).toBe(0);
  return run.stderr
    .split('\n')
    .filter((line) => line.startsWith('warning: '))
    .map((line) => line.replaceAll(on.node.root, 'NODE').slice('warning: '.length));
}

/** Makes a file look as if it had been changed that long ago. */
function changedBefore(path: string, seconds: number): void {
  const at = Date.now() / 1000 - seconds;
  utimesSync(path, at, at);
}

describe('the start of run warns', () => {
  it('of a list of pods that nobody has written for longer than pods.maxAge', () => {
    const file = on.node.path('pods.json');
    const old = 'NODE/pods.json was last changed 3 h ago; it is taken for what runs now';
    changedBefore(file, 3 * HOUR_S + 60);
    expect(warnings('--pods', file)).toContain(old);
    expect(warnings('--pods', `file:${file}`)).toContain(old);
    on.configure('pods: {source: file:/pods.json}');
    expect(warnings()).toContain(old);
    on.configure('pods: {source: file:/pods.json, maxAge: 4h}');
    expect(warnings()).not.toContain(old);
    // What was found without being named is not a list that somebody should have kept.
    on.configure();
    expect(warnings().filter((line) => line.includes('was last changed'))).toEqual([]);
  });

  it('of no list that was written a moment ago, and of no folder', () => {
    changedBefore(on.node.path('pods.json'), 4 * 60);
    expect(warnings('--pods', on.node.path('pods.json')).join()).not.toContain('was last changed');
    const manifest = on.node.write(
      'manifests/a.yaml',
      'kind: Pod\nmetadata: {name: a, uid: 5f0c1a10-0000-4000-8000-000000000004}\n',
    );
    changedBefore(manifest, HOUR_S);
    changedBefore(on.node.path('manifests'), HOUR_S);
    expect(warnings('--pods', `dir:${on.node.path('manifests')}`).join()).not.toContain('was last changed');
  });

  it('of a threshold that is always met, by what the machine has', () => {
    const always =
      'the hard threshold of memory.available is 64Gi, and its capacity is 2Gi: it is always met, and every pod that may be evicted would go; write a smaller one';
    on.configure('eviction: {thresholds: {hard: {memory.available: 64Gi}}}');
    expect(warnings()).toContain(always);
    on.node.writeCgroup('memory.stat', 'junk\n');
    expect(warnings()).toContain(always);
    on.configure('eviction: {enabled: false, thresholds: {hard: {memory.available: 64Gi}}}');
    expect(warnings().join()).not.toContain('always met');
  });
});

describe('run', () => {
  it('evicts nobody on a working set of more than twice the capacity, and is blind', async () => {
    const stat = readFileSync(join(on.node.mount, 'memory.stat'), 'latin1');
    on.kernel.stop();
    on.node.writeCgroup('memory.stat', stat.replace(/^anon .*$/m, `anon ${(5n * 2n ** 30n).toString()}`));
    const agent = on.start(['--once', '--enforce', '--listen', 'none']);
    expect((await agent.ended).code).toBe(0);
    expect(agent.stderr).toContain(
      'crit: statistics: memory.available is not observed: more than twice its capacity of 2Gi would be in use, which cannot be right',
    );
    expect([on.kernel.killed, on.records('evicting')]).toEqual([[], []]);
  });

  it(
    'tells of pods that run here and are not in the list, and when all are',
    onCalmNode(async (calm) => {
      const { items, ...list } = JSON.parse(readFileSync(calm.node.path('pods.json'), 'utf8')) as {
        items: { metadata: { name: string } }[];
      };
      const without = items.filter(({ metadata }) => !metadata.name.startsWith('flour-report'));
      const file = calm.node.write('list.json', JSON.stringify({ ...list, items: without }));
      const agent = await calm.started(['--pods', file]);
      const [told] = await calm.recorded(agent, 'trouble');
      expect(told).toMatchObject({
        part: 'unlisted',
        over: false,
        sentence:
          'pod cgroups below kubepods.slice that are of no pod in the list: 1; their requests are missing in the sums, so check that the list is whole and of this node; meanwhile no memory.min or memory.low of kubepods.slice and its tiers is lowered',
      });
      await agent.says('warning: unlisted: pod cgroups below kubepods.slice');
      calm.node.write('list.json', JSON.stringify({ ...list, items }));
      const troubles = await calm.recorded(agent, 'trouble', 2);
      expect(troubles.map(({ part, over }) => [part, over])).toEqual([
        ['unlisted', false],
        ['unlisted', true],
      ]);
      await agent.says('every pod on the node is in the list; it was: pod cgroups');
    }),
  );

  it(
    'writes nothing by the pods of another node, and says whose list that is; plan says so too',
    onCalmNode(async (calm) => {
      const pods = readFileSync(calm.node.path('pods.json'), 'utf8');
      const before = calm.node.cgroups();
      const others = pods.replaceAll(/"uid": ?"[0-9a-f]/g, '"uid":"f0');
      const file = calm.node.write('list.json', others);
      const agent = await calm.started(['--enforce', '--pods', file]);
      const foreign =
        /the list names \d+ pods, none of which runs here, while \d+ others do: it is another node's; check the URL, --node-name or the file/;
      const [told] = await calm.recorded(agent, 'trouble');
      expect(told).toMatchObject({ part: 'pods', over: false });
      expect(told?.['sentence']).toMatch(foreign);
      expect([calm.node.cgroups(), calm.records('write')]).toEqual([before, []]);
      const plan = nodeqos(['plan', '--root', calm.node.root, '--pods', file]);
      expect([plan.status, plan.stderr]).toEqual([0, expect.stringMatching(foreign)]);
      calm.node.write('list.json', pods);
      await calm.recorded(agent, 'write');
    }),
  );

  it(
    'tells everywhere that nothing names the pods of the node, is not blind, and takes those that come',
    onCalmNode(async (calm) => {
      const list = readFileSync(calm.node.path('pods.json'));
      rmSync(calm.node.path('pods.json'));
      const agent = await calm.started([]);
      const sentence =
        'nothing says which pods run here, while pods run below kubepods.slice: nobody can be evicted, and no limit is written; name whom to ask (api, kubelet:URL or cri:SOCKET), a list that is kept fresh (file:PATH) or a folder of manifests (dir:PATH) in pods.source of nodeqos.yaml';
      await agent.says(`pods: ${sentence}`);
      const { troubles, pods } = await calm.state(agent, (state) => state.troubles.length > 0, 'a trouble');
      expect(troubles).toContain(`pods: ${sentence}`);
      expect(pods.count).toBe(0);
      expect((await calm.ask('/healthz')).status).toBe(200);
      expect((await calm.ask('/metrics')).text).toContain('nodeqos_trouble{part="pods"} 1\n');
      calm.node.write('pods.json', list);
      await calm.state(agent, ({ troubles: now }) => !now.join().includes('pods: '), 'pods');
      expect((await calm.recorded(agent, 'trouble', 2)).map(({ part, over }) => [part, over])).toEqual([
        ['pods', false],
        ['pods', true],
      ]);
    }),
  );
});
