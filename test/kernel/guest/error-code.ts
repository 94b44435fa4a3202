/** The code of the error that something ends with; `no error` where it ends well. */
export function codeOf(act: () => unknown): string {
  try {
    act();
    return 'no error';
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}
