import type { Native, NativeLack } from './native.ts';
import { nativeOver } from './native-calls.ts';
import { bindSystem } from './system.ts';

/** Loads the native part, `koffi`, which is an optional library: where it cannot be had, gives a sentence. */
export async function loadNative(): Promise<Native | NativeLack> {
  try {
    const koffi = await import('koffi');
    return nativeOver(bindSystem(koffi));
  } catch (error) {
    return { lack: lackSentence(error) };
  }
}

function lackSentence(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const why =
    code === 'ERR_MODULE_NOT_FOUND'
      ? 'the library koffi is not installed beside nodeqos'
      : `the library koffi does not load here (${firstLine(error)})`;
  return (
    `${why}: the service manager is told nothing, memory pressure wakes nobody between two ticks, and processes are ` +
    'signalled by PID'
  );
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}
