import { symlinkSync } from 'node:fs';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { AgentOnNode, onCalmNode } from './agent-on-node.ts';
import { nodeqos } from './binary.ts';

const ENDING =
  'lies among cgroups (the mount is NODE/sys/fs/cgroup), where a new folder is a new cgroup; name a place outside of the mount';
const CONFIG = 'NODE/etc/nodeqos/nodeqos.yaml';

const on = new AgentOnNode();
beforeEach(() => {
  on.configure();
});
afterAll(async () => {
  await on.remove();
});

/** How a command ends with one sentence, and leaves every file and folder as it was. */
function refusal(status: number, ...args: readonly string[]): string {
  const before = on.node.traces();
  const run = nodeqos([...args, '--root', on.node.root]);
  expect([run.status, run.stdout], run.stderr).toEqual([status, '']);
  expect(on.node.traces()).toEqual(before);
  const sentences = run.stderr.split('\n').filter((line) => line !== '' && !line.startsWith('warning: '));
  expect(sentences).toHaveLength(1);
  return (sentences[0] ?? '').replaceAll(on.node.root, 'NODE');
}

describe('places among cgroups', () => {
  it.each<[string, string, string]>([
    [
      'the state folder',
      'stateDir: /sys/fs/cgroup/nodeqos',
      `stateDir: NODE/sys/fs/cgroup/nodeqos ${ENDING}`,
    ],
    [
      'the mount as the state folder, by a detour',
      'stateDir: /sys/fs/../fs/cgroup/',
      `stateDir: NODE/sys/fs/../fs/cgroup/ ${ENDING}`,
    ],
    [
      'the audit log',
      'audit: {file: MOUNT/new/audit.jsonl}',
      `audit.file: NODE/sys/fs/cgroup/new/audit.jsonl ${ENDING}`,
    ],
    ['the socket', 'listen: unix:MOUNT/agent.sock', `listen: NODE/sys/fs/cgroup/agent.sock ${ENDING}`],
  ])('78: %s of nodeqos.yaml, in both modes', (_, line, sentence) => {
    on.configure(line.replace('MOUNT', on.node.mount));
    for (const mode of ['--dry-run', '--enforce']) {
      expect(refusal(78, 'run', '--once', mode)).toBe(`nodeqos: ${CONFIG}: ${sentence}`);
    }
  });

  it.each<[string, string, string]>([
    ['--audit-log', 'MOUNT/audit.jsonl', `--audit-log NODE/sys/fs/cgroup/audit.jsonl ${ENDING}`],
    ['--listen', 'unix:MOUNT/agent.sock', `--listen NODE/sys/fs/cgroup/agent.sock ${ENDING}`],
  ])('64: %s', (option, value, sentence) => {
    const given = value.replace('MOUNT', on.node.mount);
    expect(refusal(64, 'run', '--once', option, given)).toBe(`nodeqos: ${sentence}`);
  });

  it('78: a state folder that a symbolic link leads there, and files of it that do', () => {
    symlinkSync(`${on.node.mount}/new`, on.node.path('var/lib/link'));
    on.configure('stateDir: /var/lib/link/state');
    expect(refusal(78, 'run', '--once')).toBe(
      `nodeqos: ${CONFIG}: stateDir: NODE/var/lib/link/state ${ENDING}`,
    );
    on.node.write('var/lib/own/here', '');
    for (const name of ['audit.jsonl', 'trace.jsonl']) {
      const folder = `var/lib/own-${name}`;
      on.node.write(`${folder}/here`, '');
      symlinkSync(`${on.node.mount}/${name}`, on.node.path(`${folder}/${name}`));
      on.configure(`stateDir: /${folder}`);
      expect(refusal(78, 'run', '--once')).toBe(
        `nodeqos: ${CONFIG}: stateDir: NODE/${folder}/${name} ${ENDING}`,
      );
    }
  });

  it('an audit log that the command line takes elsewhere is not refused for what the file says', () => {
    on.configure(`audit: {file: ${on.node.mount}/audit.jsonl}`);
    const elsewhere = ['--audit-log', on.node.path('elsewhere.jsonl')];
    expect(nodeqos(['run', '--once', '--listen', 'none', '--root', on.node.root, ...elsewhere]).status).toBe(
      0,
    );
  });

  it.each(['apply', 'reset'])('65: %s makes no state folder there either', (command) => {
    on.configure('stateDir: /sys/fs/cgroup/nodeqos');
    expect(refusal(65, command)).toBe(
      `nodeqos: stateDir: NODE/sys/fs/cgroup/nodeqos ${ENDING} in nodeqos.yaml`,
    );
  });

  it(
    'a reload that names one is refused, and the last good configuration stays',
    onCalmNode(async (calm) => {
      calm.configure();
      const agent = await calm.started([]);
      calm.configure('stateDir: /sys/fs/cgroup/nodeqos');
      const [reload] = await calm.recorded(agent, 'reload');
      expect(reload).toMatchObject({ ok: false, changes: [] });
      expect(reload?.['error']).toBe(
        `${CONFIG}: stateDir: NODE/sys/fs/cgroup/nodeqos ${ENDING}`.replaceAll('NODE', calm.node.root),
      );
    }),
  );
});
