import { execFile } from 'node:child_process';

/** What a command of the machine left. */
export interface CommandRun {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

const MOST_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Runs a command to its end, whatever comes of it; status -1 where it could not be started or was killed. */
export async function run(command: string, ...args: readonly string[]): Promise<CommandRun> {
  return await new Promise((resolve) => {
    execFile(command, args, { maxBuffer: MOST_OUTPUT_BYTES }, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ status, stdout, stderr: stderr || (status === -1 ? (error?.message ?? '') : '') });
    });
  });
}

/** Runs a command and gives its output. Throws, with what it said, unless it ends with status 0. */
export async function succeed(command: string, ...args: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await run(command, ...args);
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')} ended with ${status}\n${stdout}\n${stderr}`);
  return stdout;
}

/** The same for systemctl. */
export async function systemctl(...args: readonly string[]): Promise<string> {
  return await succeed('systemctl', ...args);
}
