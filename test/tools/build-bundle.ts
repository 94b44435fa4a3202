import { execFileSync } from 'node:child_process';

/** Runs once before all tests: the tests of the binary are about the sources as they are now. */
export default function buildBundle(): void {
  execFileSync(process.execPath, ['build.js'], { stdio: 'inherit' });
}
