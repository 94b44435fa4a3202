import assert from 'node:assert/strict';
import { MIB, until } from '../guest/machine.ts';
import { Workload } from '../guest/workload.ts';
import { systemctl } from './commands.ts';
import { type Service, UNIT } from './service.ts';

const SIGNAL = 'memory.available';
/** How much memory is left above the threshold before somebody takes it. */
const ROOM_MIB = 60;
/** How far below the threshold a case goes: more than the machine itself gives back meanwhile. */
const BELOW_MIB = 24;

/** Takes as many MiB more as each line says, and says when it has them; each is of its own, so that none is shared. */
const HOG = `$| = 1; print "ready\n"; while (<STDIN>) { push @held, ("x" x ${MIB}) . @held for 1..$_; print "has ", scalar @held, "\n" }`;

/** A process of root in a cgroup, which holds memory and takes more when it is told. */
export async function hogIn(cgroup: string, mib: number): Promise<Workload> {
  const process = new Workload(cgroup, ['perl', '-e', HOG]);
  await until(() => process.says('ready') || !process.isRunning, 'a process that is ready');
  await process.grow(mib);
  return process;
}

/** Gives a running service a threshold that lies somewhat below what is available now, by a reload. */
export async function nearThreshold(service: Service, settings: object): Promise<void> {
  const mib = Math.floor((await availableMib(service)) - ROOM_MIB);
  const thresholds = { hard: { [SIGNAL]: `${mib}Mi` } };
  const eviction = { enabled: true, thresholds, pressureTransitionPeriod: '0s' };
  service.configure({ ...settings, eviction });
  await systemctl('reload', UNIT);
  await service.state(
    ({ thresholds }) => JSON.stringify(thresholds).includes(`"quantity":${mib * MIB}}`),
    'the new threshold',
  );
  assert.equal(service.records('evicting').length, 0, 'the threshold was crossed before its time');
}

/** Has a process take memory until somebody is evicted. */
export async function crossThreshold(service: Service, process: Workload): Promise<void> {
  process.order(ROOM_MIB + BELOW_MIB);
  await service.recorded('evicting');
}

async function availableMib(service: Service): Promise<number> {
  const { signals } = await service.state(() => true, 'a state');
  return (signals.find(({ signal }) => signal === SIGNAL)?.available ?? Number.NaN) / MIB;
}
