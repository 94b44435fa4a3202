import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeqos } from './binary.ts';
import { NODE_LINES, nodeRuntime } from './node-runtimes.ts';

const PODS = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop', uid: '0b6a1c52-7f3e-4f60-9d53-2c1f5f1c7a10' },
  spec: {
    containers: [{ name: 'app', resources: { requests: { memory: '256Mi' }, limits: { memory: '1Gi' } } }],
  },
};

describe('the bundle alone, on every Node line that it promises', () => {
  let folder = '';
  let expected = '';
  const plan = (node: string) =>
    nodeqos(
      [
        'plan',
        '--offline',
        '--memory-capacity',
        '16Gi',
        '--throttling-factor',
        '0.9',
        '--pods',
        join(folder, 'pod.json'),
        '-o',
        'json',
      ],
      { node, cwd: folder },
    );

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'nodeqos-node-'));
    writeFileSync(join(folder, 'pod.json'), JSON.stringify(PODS));
    expected = plan(process.execPath).stdout;
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it.for(NODE_LINES)('runs on Node %s and plans the same bytes', (line, context) => {
    const runtime = nodeRuntime(line);
    if ('missing' in runtime) {
      if (process.env['CI'] === 'true') throw new Error(runtime.missing);
      console.warn(`skipped: ${runtime.missing}`);
      context.skip(runtime.missing);
      return;
    }
    expect(nodeqos(['--version'], { node: runtime.path }).status).toBe(0);
    const run = plan(runtime.path);
    expect(run.status).toBe(0);
    expect(run.stdout).toContain('"993210368"');
    expect(run.stdout).toBe(expected);
    const demo = nodeqos(['demo'], { node: runtime.path });
    expect(demo.status).toBe(0);
    expect(demo.stdout).toContain('10. Put it back');
  });
});
