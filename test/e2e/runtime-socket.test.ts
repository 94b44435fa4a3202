import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeCriServer } from '../fakes/cri-server.ts';
import { nodeqos } from './binary.ts';

const NOBODY = 65_534;
const NAME_IT = 'name its socket in runtime.endpoint of nodeqos.yaml or after cri:';

const folder = mkdtempSync(join(tmpdir(), 'cri-'));
let server: FakeCriServer;

beforeAll(async () => {
  chmodSync(folder, 0o755);
  server = await FakeCriServer.started();
});

afterAll(() => {
  server.remove();
  rmSync(folder, { recursive: true });
});

/** The last thing that a command says about a socket, and its status. */
function asked(socket: string, uid?: number): readonly [number | null, string | undefined] {
  const options = uid === undefined ? {} : { uid, cwd: '/' };
  const { status, stderr } = nodeqos(['qos', '--pods', `cri:${socket}`], options);
  return [status, stderr.trimEnd().split('\n').at(-1)];
}

describe('a command that is to ask a container runtime', () => {
  it('says where there is none', () => {
    const socket = `${folder}/none.sock`;
    expect(asked(socket)).toEqual([
      69,
      `nodeqos: there is no socket of a container runtime at ${socket}; start the runtime, or ${NAME_IT}`,
    ]);
  });

  it('says where that is something else', () => {
    const socket = `${folder}/file`;
    writeFileSync(socket, '');
    expect(asked(socket)).toEqual([69, `nodeqos: ${socket} is not a socket; ${NAME_IT}`]);
  });

  it.runIf(process.getuid?.() === 0)('says where it may not use it', () => {
    chmodSync(server.folder, 0o755);
    chmodSync(server.socket, 0o600);
    expect(asked(server.socket, NOBODY)).toEqual([
      77,
      `nodeqos: the container runtime's socket ${server.socket} may not be used by this user; run nodeqos as root, or give its user the group of the socket`,
    ]);
  });
});
