import { thawLeftBehind } from '../../act/evict/freeze.ts';
import type { PodPlace } from '../../ports.ts';
import type { Assembly } from './assembly.ts';

/**
 * Takes over the evictions that a former run had begun. Whoever was killed while it had a pod frozen has left it frozen: it
 * is thawed before anything else, since a frozen pod neither ends nor serves.
 */
export async function takeOver({
  parts,
  pending,
  evictions,
  announcer,
  hold,
  agent,
}: Assembly): Promise<void> {
  const left = pending.read();
  evictions.adopt(left.pending);
  await hold.ensure(agent.setup.mode);
  const lacks = left.trouble === undefined ? [] : [left.trouble];
  for (const { unfinished } of left.pending) {
    const place = unfinished?.place;
    if (place === undefined) continue;
    const { control } = hold;
    const lack =
      control === undefined ? stillFrozen(place, parts.root.cgroups) : await thawLeftBehind(control, place);
    if (lack !== undefined) lacks.push(lack);
  }
  await announcer.trouble('pending', lacks.length === 0 ? undefined : lacks.join('; '));
}

/** In dry-run nothing is thawed either, but a person should know. */
function stillFrozen(
  { cgroup, inode }: PodPlace,
  tree: Assembly['parts']['root']['cgroups'],
): string | undefined {
  const frozen = tree.readFile(`${cgroup}/cgroup.freeze`);
  const isFrozen = tree.inodeOf(cgroup) === inode && frozen.kind === 'read' && frozen.text.trim() === '1';
  return isFrozen
    ? `${tree.nameOf(cgroup)} was left frozen by a run that was killed; write 0 to its cgroup.freeze, or run with --enforce`
    : undefined;
}
