import { readFileSync } from 'node:fs';

/** An upstream version as deb-version(7) has it, without epoch and revision: the package has neither. */
const VERSION = /^[0-9][0-9A-Za-z.+~]*$/;

/** What is wrong with a version for a package, as a sentence; undefined where nothing is. */
export function wrongVersion(version: string): string | undefined {
  return VERSION.test(version)
    ? undefined
    : `--version ${JSON.stringify(version)}: give a Debian version without epoch and revision, such as 1.2.3 or 1.3.0~rc1: a digit, then letters, digits and . + ~`;
}

/** The version in package.json. */
export function versionOfSources(): string {
  return (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version;
}
