import { randomFillSync } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MB = 1_000_000;

/** Files that no reader can use, each in a folder of its own that everybody may look into; made when they are asked for. */
export class BadFiles {
  readonly folder = mkdtempSync(join(tmpdir(), 'nodeqos-bad-'));

  constructor() {
    chmodSync(this.folder, 0o755);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, content: string | Buffer): string {
    writeFileSync(this.path(name), content);
    return this.path(name);
  }

  /** The path of one of the kinds below, written now. */
  make(kind: BadKind): string {
    switch (kind) {
      case 'missing':
        return this.path('missing');
      case 'folder':
        mkdirSync(this.path('folder'), { recursive: true });
        return this.path('folder');
      case 'secret': {
        const path = this.write('secret.yaml', 'kind: Pod\n');
        chmodSync(path, 0o600);
        return path;
      }
      default:
        return this.write(kind, CONTENTS[kind]());
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const CONTENTS = {
  empty: () => '',
  junk: () => Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 151) % 256)),
  noise: () => randomFillSync(Buffer.alloc(65_536)).fill(0, 7, 8),
  bomb: () => `a: &a [x,x,x,x,x,x,x,x,x]\n${bombLines()}kind: Pod\n`,
  'deep-json': () => `${'['.repeat(200_000)}${']'.repeat(200_000)}`,
  'deep-yaml': () => `a: ${'{b: '.repeat(20_000)}1${'}'.repeat(20_000)}\n`,
  'cut-off': () => '{"kind": "Pod", "metadata": {',
  deployment: () => 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n',
  scalar: () => '42\n',
  'large-yaml': () => Buffer.alloc(100 * MB, 'kind: Pod\nmetadata:\n  name: a\n---\n'),
  'large-junk': () => Buffer.alloc(100 * MB, '{"kind":"Pod",'),
} satisfies Record<string, () => string | Buffer>;

export type BadKind = keyof typeof CONTENTS | 'missing' | 'folder' | 'secret';

/** Nine times nine lists, nine levels deep. */
function bombLines(): string {
  const names = 'abcdefghi';
  return Array.from(names.slice(1), (name, at) => {
    const inner = Array<string>(9)
      .fill(`*${names.charAt(at)}`)
      .join(',');
    return `${name}: &${name} [${inner}]\n`;
  }).join('');
}
