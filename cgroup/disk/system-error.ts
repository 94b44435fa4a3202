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

/** What a person should know of a failed call on `path`, by the system's code. */
export function failureSentence(path: string, code: string): string {
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return `${path}: permission denied; run nodeqos as root, or as the owner of the file`;
    case 'EROFS':
      return `${path}: the filesystem is read-only`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `${path}: no space left; free some and run again`;
    case 'ENOENT':
      return `${path}: there is no such file or folder`;
    case 'ENOTDIR':
    case 'ELOOP':
      return `${path}: a part of the path is a symbolic link or not a folder; nodeqos does not follow it`;
    case 'EBUSY':
      return `${path}: the kernel says that it is busy (EBUSY)`;
    case 'EINVAL':
      return `${path}: the kernel refused the value (EINVAL)`;
    default:
      return `${path}: ${code}`;
  }
}
