import { execFileSync } from 'node:child_process';

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** A line of sources.list for a suite of Debian, from the mirror that this machine uses. Throws where it knows none. */
export function debianSource(suite: string): string {
  const found = /^(\S+) Debian$/m.exec(targets()) ?? /^(\S+\/debian\/?) /m.exec(targets());
  if (found?.[1] === undefined)
    throw new Error('apt-get knows no mirror of Debian; give it one in its sources');
  return sourceLine(found[1], suite);
}

/** The same for the fixes of a suite's security team; nothing where this machine has no mirror of them. */
export function securitySource(suite: string): readonly string[] {
  const [, mirror] = /^(\S+) Debian-Security$/m.exec(targets()) ?? [];
  return mirror === undefined ? [] : [sourceLine(mirror, `${suite}-security`)];
}

function sourceLine(mirror: string, suite: string): string {
  return `deb [signed-by=${KEYRING}] ${mirror} ${suite} main`;
}

/** Where apt-get fetches from. A machine that has never fetched a list of packages has no labels yet. */
function targets(): string {
  try {
    return execFileSync('apt-get', ['indextargets', '--format', '$(SITE) $(LABEL)'], { encoding: 'utf8' });
  } catch {
    throw new Error('there is no apt-get to fetch packages of Debian with');
  }
}
