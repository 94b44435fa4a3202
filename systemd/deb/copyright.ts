import { readFileSync } from 'node:fs';
import type { BundledLibrary } from './bundled-libraries.ts';

const APACHE = '/usr/share/common-licenses/Apache-2.0';
/** The licence of Node.js with those of all that is in it: 150 KB, so it is a file of its own. */
export const NODE_NOTICES = 'usr/share/doc/nodeqos/nodejs-notices.gz';

/**
 * The copyright file (Debian policy 12.5): under what terms nodeqos is, and every library that is part of the package.
 * Throws for a library whose terms are not known.
 */
export function copyrightText(nodeVersion: string, libraries: readonly BundledLibrary[]): string {
  return [
    'nodeqos',
    '',
    'Copyright (c) 2026 the nodeqos authors',
    '',
    `Licensed under the Apache License, Version 2.0, which on Debian is in ${APACHE}.`,
    '',
    `The package holds Node.js ${nodeVersion}, copyright Node.js contributors, in /usr/lib/nodeqos/node. Its licence, and those`,
    `of all that is part of it, are in /${NODE_NOTICES}.`,
    '',
    'It holds these libraries, as part of /usr/lib/nodeqos/nodeqos.mjs, of the files in /usr/lib/nodeqos/nodeqos-chunks and',
    'below /usr/lib/nodeqos/node_modules:',
    '',
    ...libraries.flatMap(section),
  ].join('\n');
}

function section({ name, version, license, text, author }: BundledLibrary): readonly string[] {
  return [
    '-'.repeat(78),
    `${name} ${version} (${license})`,
    '',
    ...terms({ name, license, text, author }),
    '',
  ];
}

function terms({ name, license, text, author }: Omit<BundledLibrary, 'version'>): readonly string[] {
  if (license === 'Apache-2.0') {
    return [
      `Copyright ${author ?? `the authors of ${name}`}`,
      '',
      `Licensed under the Apache License, Version 2.0; see ${APACHE}.`,
    ];
  }
  if (text === undefined && license === 'MIT') {
    return [`Copyright (c) ${author ?? `the authors of ${name}`}`, '', mitText()];
  }
  if (text === undefined) throw new Error(`${name}: its licence is ${license}, and there is no text of it`);
  return [text.replaceAll('\r', '').trim()];
}

/** The terms that a library means which names the licence and brings no text. */
function mitText(): string {
  return readFileSync('systemd/deb/mit-terms', 'utf8').trim();
}
