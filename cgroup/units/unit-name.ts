/** The kinds of units that have a cgroup of their own (systemd.resource-control). */
const UNIT_OF_CGROUP = /^[A-Za-z0-9:_.\\@-]+\.(?:slice|scope|service|socket|mount|swap)$/;
/** The longest name that systemd takes for a unit. */
const LONGEST_NAME = 255;

/**
 * The name that the unit of a cgroup has, where the cgroup can be one of systemd's: the last part of its path, with a name of
 * a unit that has a cgroup. Names that would be files of cgroupfs have an underscore in front there, which no unit has
 * (systemd: cg_escape). undefined for any other cgroup; whether the unit is there, and has this cgroup, systemd has to say.
 */
export function unitNameOf(cgroup: string): string | undefined {
  const last = cgroup.slice(cgroup.lastIndexOf('/') + 1);
  const name = last.startsWith('_') ? last.slice(1) : last;
  return name.length <= LONGEST_NAME && UNIT_OF_CGROUP.test(name) ? name : undefined;
}
