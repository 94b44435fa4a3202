import { spawnSync } from 'node:child_process';

/** Runs once before all tests: the tests of the binary are about the sources as they are now. */
export default function buildBundle(): void {
  const build = spawnSync(process.execPath, ['build.js'], { encoding: 'utf8' });
  if (build.status !== 0) console.warn(`the bundle could not be built: ${build.stderr.slice(0, 300)}`);
}
