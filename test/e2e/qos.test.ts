import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeqos } from './binary.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nodeqos-e2e-qos-'));
  chmodSync(folder, 0o755);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Status, data and what is said to people, the temporary folder as FOLDER. */
function qos(source: string, ...more: readonly string[]): readonly unknown[] {
  const run = nodeqos(['qos', '--offline', '--pods', source, ...more]);
  return [run.status, run.stdout, run.stderr.replaceAll(folder, 'FOLDER')];
}

const REMEDY =
  'expected a Pod, a PodList or a List with pods, as printed by: kubectl get pods --all-namespaces -o yaml';

describe('the shipped qos on input that is no good', () => {
  it.each([
    ['empty.yaml', '', 65, `nodeqos: FOLDER/empty.yaml: the file is empty; ${REMEDY}\n`],
    [
      'deployment.yaml',
      'apiVersion: apps/v1\nkind: Deployment\n',
      65,
      `nodeqos: FOLDER/deployment.yaml:2:1: kind: found a Deployment; ${REMEDY}\n`,
    ],
    [
      'doubled.yaml',
      ['a', 'b'].map((name) => `kind: Pod\nmetadata: {name: ${name}, uid: u}\n`).join('---\n'),
      65,
      'nodeqos: FOLDER/doubled.yaml: the UID u occurs 2 times (default/a, default/b); each pod must be there once\n',
    ],
  ])('%s', (name, text, status, sentence) => {
    expect(qos(write(name, text))).toEqual([status, '', sentence]);
  });

  it.each([
    ['binary junk', Buffer.from(Array.from({ length: 512 }, (_, at) => (at * 151) % 256)).toString('latin1')],
    ['a YAML bomb', `a: &a [x,x,x,x,x,x,x,x,x]\n${bombLines()}kind: Pod\n`],
  ])('%s: 65 and one sentence', (name, text) => {
    const [status, stdout, stderr] = qos(write(name, text));
    expect([status, stdout]).toEqual([65, '']);
    expect(String(stderr)).toMatch(/^nodeqos: FOLDER\/[^\n]+\n$/);
  });

  it('a folder and a missing file: 66', () => {
    mkdirSync(join(folder, 'folder'));
    expect(qos(join(folder, 'folder'))).toEqual([
      66,
      '',
      'nodeqos: FOLDER/folder: this is a folder; name a file, or the folder of manifests as dir:FOLDER/folder\n',
    ]);
    expect(qos(join(folder, 'none'))).toEqual([
      66,
      '',
      'nodeqos: FOLDER/none: there is no such file; check the path\n',
    ]);
  });

  it.skipIf(process.getuid?.() !== 0)(
    'a file that may not be read: 77 (needs root to become another user)',
    () => {
      const path = write('secret.yaml', 'kind: Pod\n');
      chmodSync(path, 0o600);
      const run = nodeqos(['qos', '--offline', '--pods', path], { uid: 65534 });
      expect([run.status, run.stdout, run.stderr]).toEqual([
        77,
        '',
        `nodeqos: ${path}: not permitted to read it; run as a user who may\n`,
      ]);
    },
  );
});

describe('the shipped qos on much input', () => {
  it('reads 100 MB of JSON', () => {
    const metadata = { annotations: { padding: 'x'.repeat(20_000) } };
    const items = Array.from({ length: 5000 }, (_, at) => ({ metadata: { ...metadata, name: `p${at}` } }));
    const path = write('large.json', JSON.stringify({ kind: 'PodList', items }));
    const run = nodeqos(['qos', '--offline', '--pods', path, '-o', 'json']);
    rmSync(path);
    expect([run.status, run.stderr]).toEqual([0, '']);
    expect((JSON.parse(run.stdout) as { pods: unknown[] }).pods).toHaveLength(5000);
  });

  it('refuses 100 MB of YAML with a hint at JSON', () => {
    const path = write('large.yaml', `kind: Pod\nmetadata:\n  name: a\n${'#'.repeat(99)}\n`.repeat(800_000));
    const [status, stdout, stderr] = qos(path);
    rmSync(path);
    expect([status, stdout]).toEqual([65, '']);
    expect(String(stderr)).toMatch(/^nodeqos: FOLDER\/large\.yaml: [^\n]*JSON[^\n]*\n$/);
  });
});

/** Nine times nine lists, nine levels deep. */
function bombLines(): string {
  const names = 'abcdefghi';
  return Array.from(names.slice(1), (name, at) => {
    const inner = Array<string>(9)
      .fill(`*${names.charAt(at)}`)
      .join(',');
    return `${name}: &${name} [${inner}]\n`;
  }).join('');
}
