import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseLimit } from '../../cgroup/memory-files.ts';
import {
  flatKeyedValue,
  parseCounter,
  parseFlatKeyed,
  parseMemoryEvents,
  parseSwapEvents,
  workingSetInText,
} from '../../cgroup/parse.ts';
import { parsePressure } from '../../cgroup/pressure.ts';

const data = process.env['NODEQOS_FIXTURES'];
const folder = data === undefined ? undefined : join(data, 'memory-stat');
if (folder === undefined) {
  console.log('skipped: kernel files as captured (NODEQOS_FIXTURES is not set)');
}

function text(name: string): string {
  return readFileSync(join(folder ?? '', name), 'utf8');
}

function names(ending: string): readonly string[] {
  return folder === undefined ? [] : readdirSync(folder).filter((name) => name.endsWith(ending));
}

describe.skipIf(folder === undefined)('kernel files as captured', () => {
  it('every line of every memory.stat of cgroup v2 is read, and the working set needs are there', () => {
    const files = names('.stat');
    expect(files.length).toBeGreaterThanOrEqual(8);
    for (const name of files) {
      const content = text(name);
      const lines = content.split('\n').filter((line) => line.trim() !== '');
      const values = parseFlatKeyed(content);
      expect(values.size, name).toBe(lines.length);
      for (const key of ['anon', 'file', 'inactive_file']) {
        expect(values.get(key), `${name} ${key}`).toBeDefined();
        expect(flatKeyedValue(content, key), `${name} ${key}`).toBe(values.get(key));
      }
    }
  });

  it('the oldest has 29 keys, the newest 65', () => {
    expect(parseFlatKeyed(text('01-k4.19-5.x-oomd-system.slice.stat')).size).toBe(29);
    expect(parseFlatKeyed(text('12-k6.12.67-user.slice-all-fields-nonzero.stat')).size).toBe(65);
  });

  it('a container without a limit: usage 110198784, inactive_file 47038464, working set 63160320', () => {
    const base = '03-k5.4-checkmk-docker-nolimit';
    const current = parseCounter(text(`${base}.memory.current`));
    const stat = text(`${base}.stat`);
    expect(current).toBe(110198784n);
    expect(flatKeyedValue(stat, 'inactive_file')).toBe(47038464n);
    expect(workingSetInText(current, stat)).toBe(63160320n);
    expect(parseLimit(text(`${base}.memory.max`))).toBe('max');
  });

  it('a container with a limit that is no whole number of megabytes', () => {
    const stat = text('04-k5.4-checkmk-docker-limit9MB.stat');
    expect(parseLimit(text('04-k5.4-checkmk-docker-limit9MB.memory.max'))).toBe(8998912n);
    expect([flatKeyedValue(stat, 'anon'), flatKeyedValue(stat, 'active_anon')]).toEqual([1757184n, 1892352n]);
  });

  it('a whole cgroup folder: usage 13071106048, working set 10135646208', () => {
    const base = '07-k6.1-telegraf-docker.d';
    const current = parseCounter(text(`${base}/memory.current`));
    expect(workingSetInText(current, text(`${base}/memory.stat`))).toBe(10135646208n);
    expect(parseLimit(text(`${base}/memory.swap.max`))).toBe(0n);
    expect(Object.keys(parseMemoryEvents(text(`${base}/memory.events`)))).toContain('oomKill');
    expect(Object.keys(parseSwapEvents(text(`${base}/memory.swap.events`)))).toContain('max');
  });

  it('memory.numa_stat is no flat keyed file: none of its lines is taken for a counter', () => {
    expect(parseFlatKeyed(text('06-k5.14-koordinator.numa_stat')).size).toBe(0);
  });

  it('pressure files without a line feed at the end', () => {
    expect(parsePressure(text('18-cadvisor3052-cpu.pressure-no-final-newline'))?.some).toBeDefined();
    expect(parsePressure(text('16-k6.18-local-vm.proc-pressure-memory'))?.full).toBeDefined();
  });
});
