// Mutation tests, room by room (`npm run mutation [config|cgroup|decide]`), and one score over all that was run.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const ROOMS = {
  config: ['config/**/*.ts', '!config/watch.ts'],
  cgroup: ['cgroup/**/*.ts'],
  decide: ['agent/decide/**/*.ts', 'agent/whatif/**/*.ts'],
};
const AIM_PERCENT = 85;

const wanted = process.argv.slice(2);
const rooms = wanted.length > 0 ? wanted : Object.keys(ROOMS);
const counts = { Killed: 0, Timeout: 0, Survived: 0, NoCoverage: 0 };

for (const room of rooms) {
  const incremental = `reports/mutation-${room}-incremental.json`;
  const settings = ['--mutate', ROOMS[room].join(','), '--incrementalFile', incremental];
  const run = spawnSync('npx', ['stryker', 'run', ...settings], {
    stdio: 'inherit',
    env: { ...process.env, MUTATION_ROOM: room },
  });
  if (run.status !== 0) {
    console.error(`the mutation run over ${room} did not end well, so there is no score`);
    process.exit(1);
  }
  for (const file of Object.values(JSON.parse(readFileSync(incremental, 'utf8')).files)) {
    for (const { status } of file.mutants) if (status in counts) counts[status] += 1;
  }
}

const killed = counts.Killed + counts.Timeout;
const all = killed + counts.Survived + counts.NoCoverage;
const percent = (100 * killed) / all;
console.log(`mutation score over ${rooms.join(', ')}: ${percent.toFixed(1)}% (${killed} of ${all})`);
if (percent < AIM_PERCENT) process.exitCode = 1;
