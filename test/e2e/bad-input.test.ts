import { existsSync, renameSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FixtureNode } from '../fakes/fixture-node.ts';
import { BadFiles, type BadKind } from './bad-input.ts';
import { type BinaryRun, nodeqos } from './binary.ts';

const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn('skipped: what another user may not read (only root can become another user)');

let bad: BadFiles;
let node: FixtureNode;
let traces: Record<string, string>;

beforeAll(() => {
  bad = new BadFiles();
  node = new FixtureNode();
  // Under its own name a fake node's list of pods would be found without being given.
  renameSync(node.path('pods.json'), node.path('given-pods.json'));
  traces = node.traces();
});
afterAll(() => {
  bad.remove();
  node.remove();
});

/** One sentence for a person besides warnings, no data, no stack trace, and not a byte of the node touched. */
function expectRefusal({ status, stdout, stderr }: BinaryRun, expected: number): string {
  expect([status, stdout], stderr).toEqual([expected, '']);
  expect(stderr).not.toMatch(/^\s+at /m);
  const sentences = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('warning: '));
  expect(sentences).toEqual([expect.stringMatching(/^nodeqos: /)]);
  expect(node.traces()).toEqual(traces);
  return sentences[0] ?? '';
}

/** What each kind of bad file says, and how that ends, where a command needs it. */
const KINDS: readonly (readonly [BadKind, number, RegExp])[] = [
  ['empty', 65, /empty|no map "node"/],
  ['junk', 65, /:1:1: holds the control character U\+0000/],
  ['noise', 65, /:\d+:\d+: holds the control character/],
  ['bomb', 65, /:6:8: its aliases multiply it without measure/],
  ['deep-json', 65, /is nested more than 500 levels deep/],
  ['deep-yaml', 65, /is nested more than 500 levels deep/],
  ['cut-off', 65, /:1:30: is not YAML/],
  ['deployment', 65, /Deployment|apps\/v1|no map "node"/],
  ['scalar', 65, /map|v1 Node/],
  ['large-yaml', 65, /YAML of more than 64 MB.*give the same as JSON/],
  ['large-junk', 65, /is no JSON, though it begins like it/],
  ['folder', 66, /this is a folder/],
  ['missing', 66, /there is no such file/],
];

/** Every place at which a command takes a file. */
const PLACES: Readonly<Record<string, (file: string) => readonly string[]>> = {
  'qos --pods': (file) => ['qos', '--root', node.root, '--pods', file],
  'plan --pods': (file) => ['plan', '--root', node.root, '--pods', file],
  'apply --pods': (file) => ['apply', '--root', node.root, '--pods', file],
  'rank --pods': (file) => ['rank', '--root', node.root, '--pods', `file:${file}`],
  'status --pods': (file) => ['status', '--root', node.root, '--pods', file],
  'explain --pods': (file) => ['explain', 'a/b', '--root', node.root, '--pods', file],
  'capture --pods': (file) => ['capture', bad.path('out.tar.gz'), '--root', node.root, '--pods', file],
  'fake-tree --pods': (file) => ['fake-tree', '--dir', bad.path('tree'), '--pods', file],
  'fake-tree --usage': (file) => [
    ...['fake-tree', '--dir', bad.path('tree'), '--usage', file, '--pods', node.path('given-pods.json')],
  ],
  'plan --node': (file) => ['plan', ...onNode(), '--node', file],
  'explain --node': (file) => ['explain', 'bakery/recipes-0', ...onNode(), '--node', file],
  'plan --kubelet-config': (file) => ['plan', ...onNode(), '--kubelet-config', file],
  'apply --config': (file) => ['apply', ...onNode(), '--config', file],
  'reset --config': (file) => ['reset', '--root', node.root, '--config', file],
  'reset --kubelet-config': (file) => ['reset', '--neutral', '--root', node.root, '--kubelet-config', file],
  'rank --stats': (file) => ['rank', ...onNode(), '--stats', `summary:${file}`],
  'status --stats': (file) => ['status', ...onNode(), '--stats', `summary:${file}`],
};

function onNode(): readonly string[] {
  return ['--root', node.root, '--pods', node.path('given-pods.json')];
}

describe.each(KINDS)('a file that is %s', (kind, status, words) => {
  let file: string;
  beforeAll(() => {
    file = bad.make(kind);
  });
  afterAll(() => {
    rmSync(file, { recursive: true, force: true });
  });

  it.each(Object.keys(PLACES).filter((place) => !isFine(place, kind)))('%s', (place) => {
    const sentence = expectRefusal(nodeqos(PLACES[place]?.(file) ?? []), status);
    expect(sentence).toContain(file);
    expect(sentence).toMatch(words);
    expect(existsSync(bad.path('out.tar.gz'))).toBe(false);
    expect(existsSync(bad.path('tree'))).toBe(false);
  });

  it.each(['--kubelet-config', '--config'])(
    'check %s: the answer is no, or there is no such file',
    (option) => {
      const run = nodeqos(['check', '--root', node.root, option, file, '-o', 'json']);
      if (status === 66) {
        expect(expectRefusal(run, 66)).toMatch(words);
        return;
      }
      const report = JSON.parse(run.stdout) as {
        valid: boolean;
        errors: { file: string; message: string }[];
      };
      expect([run.status, report.valid, run.stderr]).toEqual([1, false, '']);
      expect(report.errors[0]?.file).toBe(file);
      expect(report.errors[0]?.message).not.toBe('');
      expect(node.traces()).toEqual(traces);
    },
  );
});

/** Nothing is said of what pods use: that is what an empty file of usage says. */
function isFine(place: string, kind: BadKind): boolean {
  return place === 'fake-tree --usage' && (kind === 'empty' || kind === 'deployment');
}

describe.skipIf(!isRoot)('a file that may not be read', () => {
  it.each(Object.keys(PLACES).filter((place) => !place.startsWith('fake-tree')))('%s: 77', (place) => {
    const file = bad.make('secret');
    const sentence = expectRefusal(nodeqos(PLACES[place]?.(file) ?? [], { uid: NOBODY }), 77);
    expect(sentence).toContain('permi');
  });
  it('check: 77', () => {
    const file = bad.make('secret');
    const run = nodeqos(['check', '--root', node.root, '--kubelet-config', file], { uid: NOBODY });
    expect(expectRefusal(run, 77)).toBe(`nodeqos: ${file}: not permitted to read it; run as a user who may`);
  });
});

describe('pods that cannot be those of one node', () => {
  const COMMANDS = ['qos', 'plan', 'apply', 'rank', 'status'];
  it.each(COMMANDS)('%s refuses doubled UIDs', (command) => {
    const pods = ['a', 'b'].map((name) => `kind: Pod\nmetadata: {name: ${name}, uid: u}\n`).join('---\n');
    const file = bad.write('doubled.yaml', pods);
    expect(expectRefusal(nodeqos([command, '--root', node.root, '--pods', file]), 65)).toBe(
      `nodeqos: ${file}: the UID u occurs 2 times (default/a, default/b); each pod must be there once`,
    );
  });
  it.each(COMMANDS.slice(1))('%s asks which of several nodes is meant', (command) => {
    const pods = ['a', 'b']
      .map((name) => `kind: Pod\nmetadata: {name: ${name}, uid: ${name}}\nspec: {nodeName: ${name}}\n`)
      .join('---\n');
    const file = bad.write('several.yaml', pods);
    expect(expectRefusal(nodeqos([command, '--root', node.root, '--pods', file]), 65)).toContain(
      'the pods are on 2 nodes (a, b); say which one with --node-name',
    );
  });
});

describe('a command line that is no good', () => {
  const offline = ['--offline', '--pods', 'PODS'];
  it.each<[number, readonly string[], RegExp]>([
    [64, [], /a command is missing/],
    [64, ['evict'], /unknown command/],
    [64, ['plan', '--force'], /unknown argument: force/],
    [64, ['plan', '-o', 'xml'], /--output xml: give one of/],
    [64, ['rank', '--signal', 'swap.available'], /--signal swap\.available: give one of/],
    [64, ['rank', '--compat', 'docker'], /--compat docker: give one of/],
    [64, ['rank', '--stats', 'guess'], /--stats guess: give cgroup, summary:PATH/],
    [64, ['plan', '--cgroup-driver', 'v1'], /--cgroup-driver v1: give one of/],
    [64, ['plan', ...offline, '--throttling-factor', '2'], /above 0 and at most 1/],
    [64, ['plan', ...offline, '--throttling-factor', '0.9'], /--offline needs the memory capacity/],
    [
      64,
      ['explain', 'bakery/recipes-0', ...offline, '--throttling-factor', '0.9'],
      /needs the memory capacity/,
    ],
    [64, ['plan', ...offline, '--memory-capacity', '16GB'], /--memory-capacity 16GB: /],
    [64, ['plan', ...offline, '--memory-capacity', '0'], /a capacity is above 0/],
    [64, ['plan', ...offline, '--page-size', '4095'], /a power of two/],
    [64, ['apply', ...offline, '--memory-capacity', '1Gi'], /takes no --offline/],
    [64, ['plan', '--root', 'ROOT'], /it is not known which pods run here/],
    [64, ['plan', '--root', 'ROOT', '--node-name', ''], /--node-name is empty/],
    [
      65,
      ['explain', 'bakery/recipe-0', '--root', 'ROOT', '--pods', 'PODS'],
      /perhaps bakery\/recipes-0 is meant/,
    ],
    [66, ['plan', '--root', '/nowhere/at/all'], /is not there/],
    [66, ['plan', '--root', 'ROOT', '--pods', 'dir:/nowhere'], /there is no such folder/],
    [66, ['plan', '--root', 'ROOT', '--pods', 'PODS', '--kubelet-config-dir', '/nowhere'], /no such folder/],
    [65, ['plan', '--root', 'PODS'], /is not a gzip-compressed archive/],
    [69, ['plan', '--root', 'BAD', '--pods', 'PODS'], /this is no cgroup v2 node/],
    [69, ['reset', '--root', 'BAD'], /this is no cgroup v2 node/],
    [66, ['plan', '--root', 'ROOT', '--pods', 'api'], /nothing says where the API server is/],
    [
      69,
      ['plan', '--root', 'ROOT', '--pods', 'cri:/nowhere.sock'],
      /there is no socket of a container runtime/,
    ],
    [
      69,
      ['rank', '--root', 'ROOT', '--pods', 'PODS', '--stats', 'kubelet:http://127.0.0.1:1'],
      /does not listen there/,
    ],
  ])('%i: %j', (status, args, words) => {
    const paths: Readonly<Record<string, string>> = {
      ROOT: node.root,
      PODS: node.path('given-pods.json'),
      BAD: bad.folder,
    };
    expect(expectRefusal(nodeqos(args.map((arg) => paths[arg] ?? arg)), status)).toMatch(words);
  });
});

describe('a configuration that the kubelet or nodeqos refuses', () => {
  it.each<[string, string, string, RegExp]>([
    [
      'plan',
      '--kubelet-config',
      'memoryThrottlingFactor: 2',
      /bad\.yaml:3:1: memoryThrottlingFactor: 2 must be/,
    ],
    ['apply', '--kubelet-config', 'evictionHard: {memory.available: 1}', /bad\.yaml:3:\d+: evictionHard/],
    ['rank', '--config', 'evicton: {}', /bad\.yaml:3:1: evicton: unknown key/],
    ['reset', '--config', 'memoryQos: {protection: both}', /bad\.yaml:3:\d+: memoryQos\.protection/],
  ])('%s %s: 65 with line and column', (command, option, line, words) => {
    const head =
      option === '--config'
        ? 'apiVersion: nodeqos.dev/v1alpha1\nkind: NodeQosConfiguration\n'
        : 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
    const file = bad.write('bad.yaml', `${head}${line}\n`);
    const pods = command === 'reset' ? [] : ['--pods', node.path('given-pods.json')];
    expect(expectRefusal(nodeqos([command, '--root', node.root, ...pods, option, file]), 65)).toMatch(words);
  });
});

describe('100 MB of JSON that is fine', () => {
  it('is read by every command that takes pods', () => {
    const annotations = { padding: 'x'.repeat(20_000) };
    const items = Array.from({ length: 5000 }, (_, at) => ({
      metadata: { namespace: 'many', name: `p${at}`, uid: `u${at}`, annotations },
      spec: { nodeName: 'mill-1', containers: [{ name: 'c', resources: { requests: { memory: '1Mi' } } }] },
    }));
    const file = bad.write('large.json', JSON.stringify({ kind: 'PodList', items }));
    for (const [command, key] of [
      ['qos', 'pods'],
      ['rank', 'order'],
      ['plan', 'entries'],
    ] as const) {
      const run = nodeqos([command, '--root', node.root, '--pods', file, '-o', 'json']);
      expect(run.status).toBe(0);
      const listed = (JSON.parse(run.stdout) as Record<string, { pod?: string | null }[]>)[key] ?? [];
      expect(listed.filter(({ pod }) => pod !== null).length).toBe(command === 'plan' ? 30_000 : 5000);
    }
    rmSync(file);
    expect(node.traces()).toEqual(traces);
  });
});
