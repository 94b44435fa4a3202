import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

export interface BinaryRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface BinaryOptions {
  /** The Node to run it with; this one unless given. */
  readonly node?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly uid?: number;
  readonly input?: string;
}

export const BINARY: string = resolve('dist/nodeqos.mjs');

/** Runs the shipped bundle with nothing of this process' environment but PATH. */
export function nodeqos(args: readonly string[], options: BinaryOptions = {}): BinaryRun {
  const run = spawnSync(options.node ?? process.execPath, [BINARY, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...options.env },
    maxBuffer: 256 * 1024 * 1024,
    timeout: 120_000,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
    ...(options.input === undefined ? {} : { input: options.input }),
  });
  return { status: run.status, stdout: run.stdout, stderr: run.stderr };
}
