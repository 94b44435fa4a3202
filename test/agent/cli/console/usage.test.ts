import { describe, expect, it } from 'vitest';
import { run } from '../../../fakes/fake-nodes.ts';

describe('a command line that is no good', () => {
  it.each<[string, string[], string]>([
    ['no command', [], 'a command is missing; see nodeqos --help'],
    ['an unknown command', ['xyzzy'], 'unknown command: xyzzy; see nodeqos --help'],
    ['a misspelt command', ['plna'], 'unknown command. Did you mean plan? See nodeqos --help'],
    ['an unknown option', ['plan', '--foo'], 'unknown argument: foo; see nodeqos --help'],
    ['a word too many', ['plan', 'extra'], 'unknown command: extra; see nodeqos --help'],
    [
      'an option below another',
      ['plan', '--pods.foo', '1'],
      'unknown argument: pods.foo; see nodeqos --help',
    ],
    [
      'a choice that is none',
      ['plan', '-o', 'xml'],
      '--output xml: give one of table, json, yaml, diff, sh; see nodeqos --help',
    ],
    [
      'a hostile choice',
      ['plan', '--protection', '\u001b[31m'],
      '--protection \\u001b[31m: give one of kubelet, safe; see nodeqos --help',
    ],
    ['no value', ['plan', '--output'], '--output needs a value; see nodeqos --help'],
    ['no value before the end', ['plan', '--pods', '--', 'x'], '--pods needs a value; see nodeqos --help'],
    ['required options that are not there', ['fake-tree'], 'missing: --pods, --dir; see nodeqos --help'],
    ['no argument', ['explain'], 'an argument is missing after the command; see nodeqos --help'],
    ['a value for a switch', ['plan', '--check=foo'], '--check takes no value, and "foo" was given'],
    ['an empty value for a switch', ['plan', '--offline='], '--offline takes no value, and "" was given'],
    ['an empty root', ['plan', '--root', ''], '--root is empty; give a value or leave it out'],
    ['an empty node name', ['plan', '--node-name='], '--node-name is empty; give a value or leave it out'],
    ['an empty argument', ['explain', ''], 'pod is empty; give a value'],
  ])('%s: 64 and one sentence', async (_what, argv, sentence) => {
    expect(await run(...argv)).toEqual({
      status: 64,
      stdout: '',
      stderr: `nodeqos: ${sentence}\n`,
      warnings: [],
    });
  });

  it('goes by the last of an option that is given twice', async () => {
    const { stderr } = await run('check', '--root', '/nowhere', '--root', '/elsewhere');
    expect(stderr).toContain('/elsewhere');
    expect(stderr).not.toContain('/nowhere');
    const output = await run(
      'replay',
      'none.jsonl',
      '-o',
      'table',
      '--output',
      'jsonl',
      '--node-name',
      '',
      '--node-name',
      'n',
    );
    expect(output.stderr).toBe('nodeqos: none.jsonl: there is no such file; check the path\n');
  });

  it.each([['--check=true'], ['--check=false'], ['--no-check'], ['--', '--check=foo']])(
    'does not mean %s',
    async (...argv) => {
      const { stderr } = await run('plan', '--root', '/nowhere', ...argv);
      expect(stderr).not.toContain('takes no value');
    },
  );
});
