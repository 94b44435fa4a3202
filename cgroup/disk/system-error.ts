/** The system's code of an error that node:fs threw; an error without one is a bug and goes on. */
export function errorCode(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    return error.code;
  }
  throw error;
}

/** Codes that mean that this user may not, as opposed to that it did not work. */
export function isPermission(code: string | undefined): boolean {
  return code === 'EACCES' || code === 'EPERM';
}

const NOT_PERMITTED = 'permission denied; run nodeqos as root, or as the owner of the file';
const NO_ROOM = 'no space left; free some and run again';
const NOT_FOLLOWED = 'a part of the path is a symbolic link or not a folder; nodeqos does not follow it';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: NOT_PERMITTED,
  EPERM: NOT_PERMITTED,
  EROFS: 'the filesystem is read-only',
  ENOSPC: NO_ROOM,
  EDQUOT: NO_ROOM,
  ENOENT: 'there is no such file or folder',
  ENOTDIR: NOT_FOLLOWED,
  ELOOP: NOT_FOLLOWED,
  EISDIR: 'it is a folder; move it away',
  EEXIST: 'something else is in its place; move it away',
  EBUSY: 'the kernel says that it is busy (EBUSY)',
  EINVAL: 'the kernel refused the value (EINVAL)',
};

/** Codes of a filesystem that takes nothing new, while what is there can be read. */
export function takesNothing(code: string): boolean {
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EROFS';
}

/** What a person should know of a failed call on `path`, by the system's code. */
export function failureSentence(path: string, code: string): string {
  return `${path}: ${REASONS[code] ?? code}`;
}
