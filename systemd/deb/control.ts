import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Architecture } from './architecture.ts';

/**
 * The libraries that Node.js and the native part are linked with, as dpkg-shlibdeps finds them, so that the machine that
 * builds need not have those of another architecture; passwd for a system without systemd-sysusers. A test compares.
 */
export const DEPENDS = ['libc6 (>= 2.34)', 'libgcc-s1 (>= 3.4)', 'libstdc++6 (>= 10.2)', 'passwd'] as const;

export interface ControlFacts {
  readonly version: string;
  readonly architecture: Architecture;
  readonly maintainer: string;
  /** Of all files together, in KiB. */
  readonly installedKib: number;
}

/** The control file (deb-control(5)). */
export function controlText(facts: ControlFacts): string {
  return [
    'Package: nodeqos',
    `Version: ${facts.version}`,
    `Architecture: ${facts.architecture}`,
    `Maintainer: ${facts.maintainer}`,
    `Installed-Size: ${facts.installedKib}`,
    `Depends: ${DEPENDS.join(', ')}`,
    // For memoryQos.writer: the rule that lets the agent's user set properties of units.
    'Suggests: polkitd',
    'Section: admin',
    'Priority: optional',
    'Description: Memory QoS and node-pressure eviction for nodes with cgroup v2',
    ' A node agent that computes memory.high, memory.min and memory.low for every',
    ' container, pod and QoS tier (KEP-2570) and writes them with a journal that can',
    ' undo it, and that watches eviction signals against the thresholds of a',
    ' KubeletConfiguration, ranks the pods and evicts the right one, one at a time.',
    ' .',
    ' It needs no API server and no cluster. Installed it runs in dry-run: it says',
    ' what it would do and acts on nothing. Node.js is part of the package.',
    '',
  ].join('\n');
}

/** The scripts that dpkg runs, by their names. */
export function maintainerScripts(): ReadonlyMap<string, string> {
  return new Map(
    ['postinst', 'prerm', 'postrm'].map((name) => [name, readFileSync(`systemd/deb/${name}`, 'utf8')]),
  );
}

/** A line of the list of sums by which dpkg --verify tells a changed file. */
export function md5Line(path: string, content: Uint8Array): string {
  return `${createHash('md5').update(content).digest('hex')}  ${path}\n`;
}
