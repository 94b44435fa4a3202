import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { EXIT } from '../../agent/exit.ts';
import { readNodeQosConfiguration } from '../../config/nodeqos/read.ts';
import { commandTree } from '../../systemd/completion/command-tree.ts';
import { manPages } from '../../systemd/man/pages.ts';
import { settingKeys } from '../../systemd/man/setting-keys.ts';
import { lacking } from './tools.ts';

const tree = commandTree();
const pages = manPages({ date: '2026-11-30', version: '0.1.0' });
const file = (name: string, section: number): string => `${name}.${section}`;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nodeqos-man-'));
  for (const { name, section, text } of pages) writeFileSync(join(folder, file(name, section)), text);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A page as it is read, without the breaks of its lines. */
function rendered(name: string): string {
  const said = spawnSync('mandoc', ['-Tutf8', '-Owidth=900', join(folder, name)], { encoding: 'utf8' });
  expect(said.stderr).toBe('');
  // Bold and underlined letters are struck twice.
  return said.stdout.replaceAll(/.\x08/gu, '').replaceAll('\u00a0', ' ').replaceAll('.  ', '. ');
}

/** The lines of a section of a page that is rendered. */
function section(text: string, name: string): string {
  return new RegExp(`^${name}\\n(.*?)(?=^\\S|(?![\\s\\S]))`, 'ms').exec(text)?.[1] ?? '';
}

describe('the man pages', () => {
  it('are one for the program, one for its configuration, and one for each command', () => {
    expect(pages.map((page) => file(page.name, page.section))).toEqual([
      'nodeqos.8',
      'nodeqos.yaml.5',
      ...tree.map(({ name }) => `nodeqos-${name}.8`),
    ]);
    expect(readdirSync('systemd/man/commands').sort()).toEqual(tree.map(({ name }) => `${name}.in`).sort());
  });

  it('say of every setting what it is', () => {
    const silent = settingKeys().filter(({ description }) => description === undefined);
    expect(silent.map(({ path }) => path)).toEqual([]);
  });
});

describe.skipIf(lacking('reading the man pages', { mandoc: 'mandoc', man: 'man-db' }))('read', () => {
  it.each(pages.map((page) => file(page.name, page.section)))(
    '%s has nothing that mandoc warns of',
    (name) => {
      const said = spawnSync('mandoc', ['-Tlint', '-Wwarning', join(folder, name)], { encoding: 'utf8' });
      expect(said.stdout + said.stderr).toBe('');
    },
  );

  it.each(pages.map((page) => file(page.name, page.section)))('%s has nothing that man warns of', (name) => {
    const said = spawnSync('man', ['--warnings', '-E', 'UTF-8', '-l', '-Tutf8', '-Z', join(folder, name)], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C.UTF-8', MANROFFSEQ: '', MANWIDTH: '80' },
    });
    expect(said.stderr).toBe('');
    expect(said.status).toBe(0);
  });

  it.each(tree.map(({ name }) => name))('the options of %s are those of its help', (command) => {
    const help = spawnSync(process.execPath, ['dist/nodeqos.mjs', command, '--help'], {
      encoding: 'utf8',
      env: { ...process.env, COLUMNS: '2000' },
    });
    const inHelp = [...help.stdout.matchAll(/^ +(?:-\w, )?(--[a-z-]+)/gm)].map(([, name]) => name);
    const options = section(rendered(`nodeqos-${command}.8`), 'OPTIONS');
    const inPage = [...options.matchAll(/^ {7}(?:-\w, )?(--[a-z-]+)/gm)].map(([, name]) => name);
    expect(inHelp.length).toBeGreaterThanOrEqual(2);
    expect(inPage.sort()).toEqual(inHelp.sort());
  });

  it('an option is shown with its value, what it can be, and its default', () => {
    expect(section(rendered('nodeqos-rank.8'), 'OPTIONS')).toContain(
      "       --compat RULES\n              Whose order: nodeqos' own, or the kubelet's with its known faults. One of nodeqos, kubelet. Default: nodeqos.\n",
    );
    expect(section(rendered('nodeqos-record.8'), 'OPTIONS')).toContain(
      '       --out FILE\n              The trace to write. Required.\n',
    );
    expect(section(rendered('nodeqos-reset.8'), 'OPTIONS')).toContain(
      '       --dry-run\n              Print what would be written, write nothing.\n',
    );
  });

  it('EXIT STATUS has every status of the program and no other', () => {
    const list = section(rendered('nodeqos.8'), 'EXIT STATUS');
    const found = [...list.matchAll(/^ {7}(\d+)/gm)].map(([, status]) => Number(status));
    expect(found).toEqual(Object.values(EXIT));
  });

  it('SIGNALS has those that the program listens to', () => {
    const list = section(rendered('nodeqos.8'), 'SIGNALS');
    const found = [...list.matchAll(/^ {7}(SIG.*)$/gm)].flatMap(([line]) => line.match(/SIG[A-Z]+/g) ?? []);
    const sources = ['agent/observe/wake/hangup.ts', 'agent/cli/console/process-io.ts']
      .map((path) => readFileSync(path, 'utf8'))
      .join('');
    const listened = new Set([...sources.matchAll(/'(SIG\w+)'/g)].map(([, name]) => name));
    expect(found.sort()).toEqual([...listened].sort());
  });

  it('COMMANDS has every command with what its help says of it', () => {
    const list = section(rendered('nodeqos.8'), 'COMMANDS');
    for (const { name, summary } of tree) expect(list).toContain(`${summary}. See nodeqos-${name}(8).`);
  });

  it('the page of the configuration has every key with its values and its default', () => {
    const list = section(rendered('nodeqos.yaml.5'), 'KEYS');
    for (const { path, values, default: byDefault } of settingKeys()) {
      expect(list).toMatch(new RegExp(`^ {7}${path.replaceAll('.', '\\.')}( |$)`, 'm'));
      expect(list).toContain(`(${values}${byDefault === undefined ? '' : `; default ${byDefault}`})`);
    }
  });

  it('the configuration that it shows as an example is a good one', () => {
    const text = section(rendered('nodeqos.yaml.5'), 'EXAMPLES');
    const [, example = ''] = /^( +apiVersion:.*)/ms.exec(text) ?? [];
    const yaml = example.replaceAll(/^ {14}/gm, '');
    expect(parse(yaml)).toMatchObject({ mode: 'enforce', memoryQos: { onStop: 'reset' } });
    expect(readNodeQosConfiguration({ file: 'example.yaml', text: yaml }, [])).toMatchObject({ errors: [] });
  });
});
