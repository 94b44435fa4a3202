import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { bashCompletion } from '../completion/bash.ts';
import { commandTree } from '../completion/command-tree.ts';
import { fishCompletion } from '../completion/fish.ts';
import { zshCompletion } from '../completion/zsh.ts';
import { manPages } from '../man/pages.ts';
import type { Edition } from '../man/roff.ts';
import type { BundledLibrary } from './bundled-libraries.ts';
import { copyrightText, NODE_NOTICES } from './copyright.ts';
import { dataFile, type PackagedFile, programFile } from './packaged-file.ts';
import type { NodeRuntime } from './runtime.ts';

const DOCUMENTATION = 'usr/share/doc/nodeqos';

/** Where what lies in a folder of the sources is installed. */
const PLACES: readonly { readonly from: string; readonly ending: string; readonly to: string }[] = [
  { from: 'systemd', ending: '.service', to: 'usr/lib/systemd/system' },
  { from: 'systemd', ending: '.slice', to: 'usr/lib/systemd/system' },
  { from: 'systemd', ending: '.sysusers', to: 'usr/lib/sysusers.d' },
  { from: 'systemd/polkit', ending: '.rules', to: 'usr/share/polkit-1/rules.d' },
  { from: 'systemd/drop-ins', ending: '.conf', to: `${DOCUMENTATION}/examples` },
];

/** Everything that is installed as it lies in the sources. */
export function sourceFiles(): readonly PackagedFile[] {
  return [
    programFile('usr/bin/nodeqos', readFileSync('systemd/deb/launcher.sh')),
    dataFile('etc/nodeqos/nodeqos.yaml', readFileSync('config/nodeqos/nodeqos.yaml')),
    dataFile('usr/share/nodeqos/nodeqos.schema.json', readFileSync('config/nodeqos/nodeqos.schema.json')),
    ...PLACES.flatMap(({ from, ending, to }) =>
      namesIn(from)
        .filter((name) => name.endsWith(ending))
        .map((name) => dataFile(`${to}/${installedName(name)}`, readFileSync(`${from}/${name}`))),
    ),
  ];
}

/** The program as build.js leaves it, without its first line: it is run by the launcher, not by itself. */
export function programFiles(bundle: ReadonlyMap<string, string>): readonly PackagedFile[] {
  return [...bundle].map(([name, text]) => dataFile(`usr/lib/nodeqos/${name}`, text.replace(/^#!.*\n/, '')));
}

/** Completions for the shells, each where its shell looks for it. */
export function completionFiles(): readonly PackagedFile[] {
  const tree = commandTree();
  return [
    dataFile('usr/share/bash-completion/completions/nodeqos', bashCompletion(tree)),
    dataFile('usr/share/zsh/vendor-completions/_nodeqos', zshCompletion(tree)),
    dataFile('usr/share/fish/vendor_completions.d/nodeqos.fish', fishCompletion(tree)),
  ];
}

/** The man pages, as man(1) looks for them. */
export function manFiles(edition: Edition): readonly PackagedFile[] {
  return manPages(edition).map(({ name, section, text }) =>
    dataFile(`usr/share/man/man${section}/${name}.${section}.gz`, compressed(text)),
  );
}

/** What Debian wants beside every package. */
export function documentationFiles(
  changelog: string,
  node: NodeRuntime,
  libraries: readonly BundledLibrary[],
): readonly PackagedFile[] {
  return [
    dataFile(`${DOCUMENTATION}/changelog.gz`, compressed(changelog)),
    dataFile(`${DOCUMENTATION}/copyright`, copyrightText(node.version, libraries)),
    dataFile(NODE_NOTICES, compressed(node.license)),
    dataFile('usr/share/lintian/overrides/nodeqos', readFileSync('systemd/deb/lintian-overrides')),
  ];
}

/** As gzip -9n: without a name and without a time, so that the same text gives the same bytes. */
function compressed(text: string): Uint8Array {
  return gzipSync(text, { level: 9 });
}

function installedName(name: string): string {
  return name.endsWith('.sysusers') ? `${name.slice(0, -'.sysusers'.length)}.conf` : name;
}

/** In order of the bytes of the names; a folder that is not there holds nothing. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}
