import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentOnNode, FLOUR } from './agent-on-node.ts';
import { nodeqos } from './binary.ts';
import { expectGolden } from './golden-file.ts';
import { normalised } from './normalised.ts';

let on: AgentOnNode;

beforeEach(() => {
  on = new AgentOnNode();
});
afterEach(async () => {
  await on.remove();
});

/** One whole run, as it is written down: what was said, on which stream, and how it ended. */
async function transcript(...args: readonly string[]): Promise<string> {
  const agent = on.start(['--once', '--listen', 'none', ...args]);
  const { code } = await agent.ended;
  const said = agent.stderr === '' ? '' : `--- stderr\n${agent.stderr}`;
  const line = `$ nodeqos run --once ${args.join(' ')}`.trimEnd();
  return normalised(`${line}\n${agent.stdout}${said}--- status ${code}\n`, on.node.root);
}

function audit(): string {
  return normalised(readFileSync(join(on.node.state, 'audit.jsonl'), 'utf8'), on.node.root);
}

describe('run --once', () => {
  it('in dry-run, which is the default, says what it would do and does nothing', async () => {
    const before = on.node.traces();
    expectGolden('run-once-dry-run.txt', await transcript());
    expectGolden('run-once-dry-run.jsonl', audit());
    const cgroups = (traces: Record<string, string>) =>
      Object.entries(traces).filter(([path]) => !path.startsWith('var'));
    expect(cgroups(on.node.traces())).toEqual(cgroups(before));
    expect(on.kernel.killed).toEqual([]);
    expect(existsSync(join(on.node.state, 'journal.jsonl'))).toBe(false);
  });

  it('--enforce evicts one pod and writes every value, whatever maxWritesPerTick says', async () => {
    on.configure(
      'memoryQos: {throttlingFactor: 0.9, reservationPolicy: TieredReservation, maxWritesPerTick: 1}',
    );
    expectGolden('run-once-enforce.txt', await transcript('--enforce'));
    expectGolden('run-once-enforce.jsonl', audit());
    expect(on.kernel.killedPods).toEqual([FLOUR.pod]);
    const plan = nodeqos(['plan', '--root', on.node.root, '--check', '-o', 'json']);
    const { summary } = JSON.parse(plan.stdout) as { summary: object };
    expect([plan.status, summary]).toEqual([0, { write: 0, keep: 40, missing: 0 }]);
  });

  it('--enforce once more has nothing to say of values that are as planned', async () => {
    on.kernel.use(FLOUR.leaf, 20);
    expect((await transcript('--enforce')).match(/wrote/g)).toHaveLength(18);
    expectGolden('run-once-enforce-again.txt', await transcript('--enforce'));
  });

  it('mode: enforce of nodeqos.yaml is as good as --enforce, and --dry-run wins over it', async () => {
    on.kernel.use(FLOUR.leaf, 20);
    on.configure('mode: enforce', 'memoryQos: {throttlingFactor: 0.9}');
    expect(await transcript('--dry-run')).toContain('would write memory.high');
    expect(on.records('start').map(({ mode }) => mode)).toEqual(['dry-run']);
    expect(await transcript()).toContain('wrote memory.high');
    expect(on.records('start').map(({ mode }) => mode)).toEqual(['dry-run', 'enforce']);
  });

  it('writes its records where --audit-log says', async () => {
    await transcript('--audit-log', on.node.path('elsewhere.jsonl'));
    expect(existsSync(join(on.node.state, 'audit.jsonl'))).toBe(false);
    const lines = readFileSync(on.node.path('elsewhere.jsonl'), 'utf8').trimEnd().split('\n');
    const kinds = lines.map((line) => (JSON.parse(line) as { kind: string }).kind);
    expect([kinds[0], kinds.at(-1)]).toEqual(['start', 'stop']);
  });
});
