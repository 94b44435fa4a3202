// Plants deliberate faults in a copy of the sources, one at a time, and runs on a real kernel the cases that must notice each
// (`npm run faults:kernel [WORD]`, WORD being a part of what a fault breaks). A fault that no case notices is a gap in them.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SOURCES = ['agent', 'cgroup', 'config', 'test', 'systemd'];
const FILES = ['build.js', 'package.json', 'tsconfig.json', 'vitest.config.ts'];
const REPORT = 'reports/kernel-tests.json';
/** One kernel is enough to see it; another one may be named. */
const RELEASES = process.env.NODEQOS_KERNEL_RELEASES ?? '^6\\.1\\.';

const root = process.cwd();
const word = process.argv[2] ?? '';
const faults = JSON.parse(readFileSync('test/kernel/planted-faults.json', 'utf8')).filter(({ breaks }) =>
  breaks.includes(word),
);

const copy = mkdtempSync(join(tmpdir(), 'nodeqos-kernel-faults-'));
process.on('exit', () => {
  rmSync(copy, { recursive: true, force: true });
});
for (const source of [...SOURCES, ...FILES])
  cpSync(join(root, source), join(copy, source), { recursive: true });
// Kernels and disks that were fetched and built are there as well.
mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));

/** Boots a machine for some cases, with the sources as they are in the copy: how each case ended, by its name. */
function endsOf(cases) {
  rmSync(join(copy, REPORT), { force: true });
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  const run = spawnSync(process.execPath, [vitest, 'run', 'test/kernel/kernel.test.ts'], {
    cwd: copy,
    encoding: 'utf8',
    env: {
      ...process.env,
      NODEQOS_KERNEL: '1',
      NODEQOS_KERNEL_CASES: cases,
      NODEQOS_KERNEL_RELEASES: RELEASES,
      // A machine that cannot be built is a failure.
      CI: 'true',
    },
  });
  try {
    const tests = JSON.parse(readFileSync(join(copy, REPORT), 'utf8')).testResults.flatMap(
      ({ assertionResults }) => assertionResults,
    );
    return tests.filter(({ status }) => status === 'passed' || status === 'failed');
  } catch {
    throw new Error(`no report:\n${run.stdout}\n${run.stderr}`);
  }
}

function isAbout(cases) {
  return ({ title }) => new RegExp(cases).test(title);
}

const sound = endsOf(faults.map(({ cases }) => cases).join('|'));
for (const { cases } of faults) {
  const ends = sound.filter(isAbout(cases));
  if (ends.length > 0 && ends.every(({ status }) => status === 'passed')) continue;
  console.error(`without any fault, no case passes that is about: ${cases}`);
  for (const { title, failureMessages } of sound.filter(({ status }) => status === 'failed'))
    console.error(`${title}: ${failureMessages[0] ?? ''}`);
  process.exit(1);
}

let missed = 0;
for (const [index, { file, find, replace, breaks, cases }] of faults.entries()) {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    text.replace(find, () => replace),
  );
  const red = endsOf(cases).filter((end) => end.status === 'failed' && isAbout(cases)(end));
  writeFileSync(path, text);
  if (red.length === 0) missed += 1;
  console.log(`${index + 1}. ${breaks} (${file}): ${red.length === 0 ? 'MISSED' : 'caught'}`);
  for (const { title, failureMessages } of red)
    console.log(`   ${title}: ${(failureMessages[0] ?? '').split('\n')[0].slice(0, 160)}`);
}
console.log(`${faults.length - missed} of ${faults.length} faults were caught by a case on a real kernel`);
if (missed > 0) process.exitCode = 1;
