import type { KeyPath } from './text/place.ts';

/** Something that is wrong at a path of a configuration, before it is known which file and line that is. */
export interface Fault {
  readonly path: KeyPath;
  readonly message: string;
  /** Where the cause stands if nobody wrote the path itself, because it is a default. */
  readonly cause?: KeyPath;
}

/** What a step of reading found: what the file is refused for, and what is surely a mistake. */
export interface Faults {
  readonly errors: readonly Fault[];
  readonly warnings: readonly Fault[];
}
