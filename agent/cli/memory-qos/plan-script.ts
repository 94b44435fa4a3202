import { compareBytewise } from '../../../cgroup/byte-order.ts';
import type { PlanEntry } from '../../../cgroup/plan.ts';
import { visible } from '../../report/visible.ts';

/** What would change, cgroup by cgroup in bytewise order. A value that is not known has no line with a minus. */
export function planDiff(entries: readonly PlanEntry[]): string {
  const sections = new Map<string, string[]>();
  for (const entry of entries.filter(({ action }) => action === 'write')) {
    const title = visible(entry.cgroup ?? `(cgroup not known) ${ownerOf(entry)}`);
    const lines = sections.get(title) ?? [`--- ${title}`];
    if (entry.current !== null) {
      lines.push(`-${entry.file} ${entry.current}`);
    }
    lines.push(`+${entry.file} ${entry.desired}`);
    sections.set(title, lines);
  }
  return [...sections]
    .sort(([a], [b]) => compareBytewise(a, b))
    .flatMap(([, lines]) => lines)
    .map((line) => `${line}\n`)
    .join('');
}

/**
 * A shell script that writes the plan, in write order, each line with its reason. `mount` is the absolute path of the
 * cgroup2 mount. What has no known cgroup is said in a comment.
 */
export function planScript(entries: readonly PlanEntry[], mount: string): string {
  const lines = entries
    .filter(({ action }) => action === 'write')
    .map((entry) => {
      const { cgroup, file, desired, reason } = entry;
      return cgroup === null
        ? `# cgroup not known: ${visible(ownerOf(entry))} ${file} ${desired}  # ${reason}`
        : `printf ${desired} > ${shellWord(`${mount}/${cgroup}/${file}`)}  # ${reason}`;
    });
  return ['#!/bin/sh', 'set -eu', ...lines].map((line) => `${line}\n`).join('');
}

function ownerOf({ namespace, pod, container }: PlanEntry): string {
  const name = `${namespace ?? ''}/${pod ?? ''}`;
  return container === null ? name : `${name}/${container}`;
}

/** A path as one word of sh. Names come from files that anybody may have written, so all but plain ones are quoted. */
function shellWord(path: string): string {
  return /^[A-Za-z0-9_./:@%+=,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
