import { release } from 'node:os';
import { describe, expect, it } from 'vitest';
import { hostFactsOf, observeHost } from '../../../agent/observe/host.ts';

describe('host facts', () => {
  it('tell what this machine is, and neither its name nor a serial number', async () => {
    const facts = await observeHost(10_000);
    expect(facts).toMatchObject({ kernel: release(), architecture: process.arch });
    expect(facts.cpuCount).toBeGreaterThan(0);
    expect(facts.memoryTotalBytes).toBeGreaterThan(0n);
    expect(Object.keys(facts).sort()).toEqual([
      'architecture',
      'cpuCount',
      'kernel',
      'memoryTotalBytes',
      'operatingSystem',
      'virtualisation',
    ]);
  });

  it('that do not come in time are left out', async () => {
    expect(await observeHost(0)).toEqual({});
  });

  it('of a capture are the captured ones, of a folder none', async () => {
    const host = { kernel: '6.1.0' };
    expect(await hostFactsOf({ kind: 'archive', capture: { host } })).toEqual(host);
    expect(await hostFactsOf({ kind: 'folder' })).toBeUndefined();
  });
});
