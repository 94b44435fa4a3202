// Plants deliberate faults in a copy of the sources, one at a time, and runs the simulation and the scenarios on each
// (`npm run faults [WORD]`, WORD being a part of what a fault breaks). A fault that no test notices is a gap in the tests.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const SOURCES = ['agent', 'cgroup', 'config', 'test', 'package.json', 'tsconfig.json'];
const TESTS = ['test/simulation/simulation.test.ts', 'test/scenarios', 'test/agent/decide/eviction'];
/** Few and short lives: what is planted is met soon or never. */
const SHORT = { NODEQOS_SIM_SEEDS: '10', NODEQOS_SIM_TICKS: '1500' };
const LONGEST_MS = 120_000;

const root = process.cwd();
const word = process.argv[2] ?? '';
const faults = JSON.parse(readFileSync('test/simulation/planted-faults.json', 'utf8')).filter(({ breaks }) =>
  breaks.includes(word),
);

const copy = mkdtempSync(join(tmpdir(), 'nodeqos-faults-'));
process.on('exit', () => {
  rmSync(copy, { recursive: true, force: true });
});
for (const source of SOURCES) cpSync(join(root, source), join(copy, source), { recursive: true });
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
// Without the bundle, which none of these tests runs.
writeFileSync(
  join(copy, 'vitest.config.js'),
  "export default { test: { include: ['test/**/*.test.ts'] } };\n",
);

/** Runs the tests in the copy: those that failed, as `file: name`, and the first thing that a failure says. */
function failures() {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  const run = spawnSync(
    process.execPath,
    [vitest, 'run', '--reporter=json', `--outputFile=${report}`, ...TESTS],
    {
      cwd: copy,
      env: { ...process.env, ...SHORT },
      timeout: LONGEST_MS,
    },
  );
  if (run.error !== undefined)
    return [{ file: 'time', name: `not done after ${LONGEST_MS / 1000} s`, says: '' }];
  return JSON.parse(readFileSync(report, 'utf8')).testResults.flatMap(failedIn);
}

function failedIn({ name: path, status, message, assertionResults }) {
  const file = relative(copy, path);
  if (status === 'failed' && assertionResults.length === 0)
    return [{ file, name: 'does not load', says: message }];
  return assertionResults
    .filter((result) => result.status === 'failed')
    .map((result) => ({ file, name: result.fullName, says: result.failureMessages[0] ?? '' }));
}

/** What a failed simulation says of the promise. */
function promiseIn(found) {
  const says = found.find(({ file }) => file.includes('simulation'))?.says ?? '';
  return /seed \d+: ([^\n]*)/.exec(says)?.[1]?.slice(0, 120);
}

const sound = failures();
if (sound.length > 0) {
  console.error(
    `tests fail without any fault: ${sound.map(({ file, name }) => `${file}: ${name}`).join('; ')}`,
  );
  process.exit(1);
}
let missed = 0;
for (const [index, { file, find, replace, breaks }] of faults.entries()) {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    text.replace(find, () => replace),
  );
  const found = failures();
  writeFileSync(path, text);
  const others = found.filter((one) => !one.file.includes('simulation'));
  const bySimulation = others.length < found.length ? (promiseIn(found) ?? 'yes') : 'no';
  const byOthers =
    others.length === 0 ? 'no' : `${others.length}, first ${others[0].file}: ${others[0].name}`;
  if (found.length === 0) missed += 1;
  console.log(`${index + 1}. ${breaks} (${file}): ${found.length === 0 ? 'MISSED' : 'caught'}`);
  console.log(`   simulation: ${bySimulation}`);
  console.log(`   other tests: ${byOthers}`);
}
console.log(`${faults.length - missed} of ${faults.length} faults were caught`);
if (missed > 0) process.exitCode = 1;
