import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../../../cgroup/disk/system-error.ts';
import type { StateFolderLook } from '../../decide/doctor/facts.ts';

/**
 * Whether a file or folder of this machine may be written: undefined if so, else the system's code. access(2) asks for the
 * real user and leaves out what a capability allows, so with `overrides` (CAP_DAC_OVERRIDE) a lack of permission is none.
 * Nothing is opened.
 */
export function writeLack(path: string, overrides: boolean): string | undefined {
  return accessLack(path, constants.W_OK, overrides);
}

/** The same for reading. */
export function readLack(path: string, overrides: boolean): string | undefined {
  return accessLack(path, constants.R_OK, overrides);
}

function accessLack(path: string, mode: number, overrides: boolean): string | undefined {
  try {
    accessSync(path, mode);
    return undefined;
  } catch (error) {
    const code = errorCode(error);
    return code === 'EACCES' && overrides ? undefined : code;
  }
}

/** Whether nodeqos could keep its state in a folder, which it makes where it is not there. Nothing is made. */
export function stateFolderLook(path: string, overrides: boolean): StateFolderLook {
  const what = kindOf(path);
  if (what === 'folder') return { path, state: stateOf(writeLack(path, overrides), 'writable') };
  if (what === 'other') return { path, state: 'no-folder' };
  if (what !== 'missing') return { path, state: { code: what.code } };
  let nearest = dirname(path);
  while (kindOf(nearest) === 'missing' && nearest !== dirname(nearest)) nearest = dirname(nearest);
  return { path, state: stateOf(writeLack(nearest, overrides), 'to-be-made') };
}

function stateOf(
  lack: string | undefined,
  otherwise: 'writable' | 'to-be-made',
): 'writable' | 'to-be-made' | { readonly code: string } {
  return lack === undefined ? otherwise : { code: lack };
}

function kindOf(path: string): 'folder' | 'other' | 'missing' | { readonly code: string } {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return 'missing';
    return found.isDirectory() ? 'folder' : 'other';
  } catch (error) {
    const code = errorCode(error);
    return code === 'ENOTDIR' ? 'missing' : { code };
  }
}
