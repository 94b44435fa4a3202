import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SIGNALS } from '../../config/signal.ts';
import { bashCompletion } from '../../systemd/completion/bash.ts';
import { commandTree } from '../../systemd/completion/command-tree.ts';
import { fishCompletion } from '../../systemd/completion/fish.ts';
import { zshCompletion } from '../../systemd/completion/zsh.ts';
import { lacking } from './tools.ts';

const tree = commandTree();
const NAMES = tree.map(({ name }) => name);
/** Options whose value is neither a place on disk nor one of a few words: a shell cannot know it. */
const FREE_VALUES = [
  ...['add', 'count', 'duration', 'group', 'interval', 'kernel', 'kubelet', 'listen', 'memory-capacity'],
  ...['node-name', 'page-size', 'placement', 'remove', 'stats', 'throttling-factor'],
];

/** What each shell offers for a line whose last word is being written, in the order of their bytes. */
const LINES: Readonly<Record<string, readonly string[]>> = {
  'nodeqos re': ['record', 'replay', 'reset'],
  'nodeqos plan -o ': ['diff', 'json', 'sh', 'table', 'yaml'],
  'nodeqos plan --output ta': ['table'],
  'nodeqos apply --protection ': ['kubelet', 'safe'],
  'nodeqos rank --signal ': [...SIGNALS].sort(),
  'nodeqos rank --compat k': ['kubelet'],
  'nodeqos run --dr': ['--dry-run'],
  'nodeqos reset --neu': ['--neutral'],
  'nodeqos replay no': ['node-a', 'nodes.json'],
  'nodeqos plan --kubelet-config no': ['node-a', 'nodes.json'],
  'nodeqos fake-tree --dir no': ['node-a'],
  'nodeqos plan --throttling-factor ': [],
};

/** A folder with a file and a folder to complete. */
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nodeqos-completion-'));
  mkdirSync(join(folder, 'node-a'));
  writeFileSync(join(folder, 'nodes.json'), '');
  mkdirSync(join(folder, '.functions'));
  writeFileSync(join(folder, '.functions/nodeqos.bash'), bashCompletion(tree));
  writeFileSync(join(folder, '.functions/_nodeqos'), zshCompletion(tree));
  writeFileSync(join(folder, '.functions/nodeqos.fish'), fishCompletion(tree));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function offered(command: string, args: readonly string[]): readonly string[] {
  const said = spawnSync(command, args, {
    encoding: 'utf8',
    cwd: folder,
    env: { ...process.env, HOME: folder },
  });
  expect(said.stderr).toBe('');
  return said.stdout
    .split('\n')
    .map((line) => (line.split('\t', 1)[0] ?? '').replace(/\/$/, '').trim())
    .filter((word) => word !== '')
    .sort();
}

describe('the command line as data', () => {
  it('knows of every option with a value whether a shell can complete it', () => {
    const free = new Set(
      tree
        .flatMap(({ options }) => options)
        .filter(({ value }) => value?.kind === 'text' && value.choices.length === 0)
        .map(({ name }) => name),
    );
    expect([...free].sort()).toEqual(FREE_VALUES);
  });

  it('has every command and, for one of them, every option', () => {
    expect(NAMES).toEqual(
      'doctor check qos plan apply reset rank run status top explain record replay preempt taints admit capture fake-tree demo'.split(
        ' ',
      ),
    );
    expect(tree.find(({ name }) => name === 'replay')).toMatchObject({
      arguments: [{ name: 'trace', kind: 'file' }],
      options: [
        { name: 'kubelet-config', value: { kind: 'file' } },
        { name: 'kubelet-config-dir', value: { kind: 'folder' } },
        { name: 'config', value: { kind: 'file' } },
        { name: 'compare', value: { kind: 'file' } },
        { name: 'compat', value: { choices: ['nodeqos', 'kubelet'] }, default: 'nodeqos' },
        { name: 'node-name', value: { kind: 'text' } },
        { name: 'output', letter: 'o', value: { choices: ['table', 'jsonl'] }, default: 'table' },
      ],
    });
  });
});

describe.skipIf(lacking('completion in bash', { bash: 'bash' }))('bash', () => {
  /** As readline calls the function: the line in words, of which `=` is one. */
  const inBash = (line: string): readonly string[] => {
    const words = line.split(/ |(?==)|(?<==)/);
    const script = [
      'source .functions/nodeqos.bash',
      `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})`,
      'COMP_CWORD=$((${#COMP_WORDS[@]} - 1))',
      '_nodeqos',
      'printf "%s\\n" "${COMPREPLY[@]}"',
    ];
    return offered('bash', ['--norc', '-c', script.join('\n')]);
  };

  it.each(Object.entries(LINES))('completes %j', (line, words) => {
    expect(inBash(line)).toEqual(words);
  });

  it('completes a value after a sign of equality', () => {
    expect(inBash('nodeqos plan --protection=')).toEqual(['kubelet', 'safe']);
    expect(inBash('nodeqos plan --protection=s')).toEqual(['safe']);
  });

  it('offers commands first, and options where there is no argument', () => {
    expect(inBash('nodeqos ')).toEqual(['--help', '--version', '-h', ...NAMES].sort());
    expect(inBash('nodeqos demo ')).toEqual(['--help', '--version', '-h']);
  });

  it.skipIf(lacking('looking through the completion for bash', { shellcheck: 'shellcheck' }))(
    'has a completion that shellcheck has nothing to say about',
    () => {
      expect(offered('shellcheck', ['-s', 'bash', '.functions/nodeqos.bash'])).toEqual([]);
    },
  );
});

describe.skipIf(lacking('completion in fish', { fish: 'fish' }))('fish', () => {
  const inFish = (line: string): readonly string[] =>
    offered('fish', ['--no-config', '-c', `source .functions/nodeqos.fish; complete -C '${line}'`]);

  it.each(Object.entries(LINES))('completes %j', (line, words) => {
    expect(inFish(line)).toEqual(words);
  });

  it('shows what a command does', () => {
    const script = "source .functions/nodeqos.fish; complete -C 'nodeqos pl'";
    const said = spawnSync('fish', ['--no-config', '-c', script], { encoding: 'utf8', cwd: folder });
    expect(said.stdout).toBe('plan\tEvery intended cgroup write, nothing written\n');
  });
});

describe.skipIf(lacking('completion in zsh', { zsh: 'zsh' }))('zsh', () => {
  const script = resolve('test/package/zsh-offers.zsh');

  it.each(Object.entries(LINES))('completes %j', (line, words) => {
    expect(offered('zsh', ['-f', script, line])).toEqual(words);
  });

  it('completes a value after a sign of equality', () => {
    expect(offered('zsh', ['-f', script, 'nodeqos plan --protection='])).toEqual(['kubelet', 'safe']);
  });
});
