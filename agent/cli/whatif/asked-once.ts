import { EXIT, Failure } from '../../exit.ts';

/**
 * For options that say what is asked about (yargs: `coerce`). Of most options that are given twice the last one counts, so that
 * they can be added to a line; here an answer about the last would pass for one about all. Throws Failure 64.
 */
export function askedOnce<T>(option: string): (value: T) => T {
  return (value) => {
    if (!Array.isArray(value)) return value;
    throw new Failure(
      EXIT.usage,
      `--${option} is given ${value.length} times; give it once, and ask again for the other`,
    );
  };
}
