import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where tools lie that a plain user's PATH leaves out. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/sbin'];

/** The path of a tool; undefined where this machine has none. */
export function findTool(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...SYSTEM_FOLDERS];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Runs a tool to its end and gives its output; rejects with what it said where it fails. */
export async function runTool(
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  const { cwd, env } = options;
  const settings = {
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
    env: { ...process.env, ...env },
    ...(cwd === undefined ? {} : { cwd }),
  } as const;
  return await new Promise((resolve, reject) => {
    execFile(command, args, settings, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${command} ${args.join(' ')}: ${stderr.trim() || error.message}`));
    });
  });
}
