import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { MIB, readCgroup, sleep } from '../guest/machine.ts';
import type { KernelCase, Notes } from '../guest/result.ts';
import { populated } from '../guest/shortage.ts';
import { run, succeed, systemctl } from './commands.ts';
import { APPLY_UNIT, OWN_CGROUP, Service, UNIT, withService } from './service.ts';
import { keepsItsPages, outlivesTheOomKiller } from './service-memory.ts';
import { crossThreshold, hogIn, nearThreshold } from './service-shortage.ts';

const MOST_EXPOSED = 2;
/** CAP_DAC_OVERRIDE, CAP_KILL and CAP_SYS_RESOURCE (linux/capability.h). */
const CAPABILITIES = (1n << 1n) | (1n << 5n) | (1n << 24n);
/** syslog(3). */
const PRIORITY = { error: '3', warning: '4', notice: '5', info: '6' } as const;

/** READY is believed for as long as nothing contradicts it: whenever systemd has it, a look is over. */
async function readyAfterTheFirstLook(service: Service): Promise<void> {
  await systemctl('start', '--no-block', UNIT);
  for (;;) {
    const { ActiveState } = await service.show('ActiveState');
    if (ActiveState === 'active') break;
    assert.ok(ActiveState === 'activating' || ActiveState === 'inactive', ActiveState);
    await sleep(50);
  }
  assert.notEqual(await service.answer('/state'), undefined, 'READY came before the first look was over');
  assert.equal(await service.answer('/readyz'), 'ok\n');
  const { StatusText } = await service.show('StatusText');
  assert.match(StatusText ?? '', /^dry-run, evictions off; no pressure; 0 pods; /);
  assert.equal((await service.journalled('nodeqos 0')).PRIORITY, PRIORITY.info);
}

async function isWhatItsUnitSays(service: Service, notes: Notes): Promise<void> {
  const { MainPID, ControlGroup } = await service.show('MainPID', 'ControlGroup');
  assert.equal(ControlGroup, `/${OWN_CGROUP}`);
  const status = readFileSync(`/proc/${MainPID}/status`, 'utf8');
  const field = (name: string): string => new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(status)?.[1] ?? '';
  const uid = (await succeed('id', '-u', 'nodeqos')).trim();
  assert.notEqual(uid, '0');
  assert.equal(field('Uid'), [uid, uid, uid, uid].join('\t'));
  for (const set of ['CapEff', 'CapPrm', 'CapBnd', 'CapAmb'])
    assert.equal(BigInt(`0x${field(set)}`), CAPABILITIES, set);
  assert.equal(field('NoNewPrivs'), '1');
  assert.equal(field('Seccomp'), '2', 'system calls are filtered');
  assert.equal(readFileSync(`/proc/${MainPID}/oom_score_adj`, 'utf8'), '-900\n');
  const said = await succeed('systemd-analyze', 'security', '--no-pager', UNIT);
  const exposure = Number(/exposure level for \S+: ([0-9.]+)/.exec(said)?.[1]);
  notes(`exposure ${exposure}, memory ${memoryText()}`);
  assert.ok(exposure > 0 && exposure <= MOST_EXPOSED, said);
}

function memoryText(): string {
  return `${Math.round(Number(readCgroup(OWN_CGROUP, 'memory.current')) / MIB)} MiB`;
}

/** All that `enforce` takes, against files and processes of root. */
async function enforcesAsItsOwnUser(service: Service, notes: Notes): Promise<void> {
  const till = service.add({ name: 'till', class: 'Guaranteed', request: '64Mi', limit: '64Mi' });
  const batch = service.add({ name: 'batch', class: 'BestEffort', graceSeconds: 10 });
  const state = await service.enforce();
  assert.equal(state.agent['psiTrigger'], true, 'the pressure trigger');
  assert.deepEqual(state.troubles, []);
  assert.equal(readCgroup(till.container, 'memory.min'), String(64 * MIB));
  const kept = await hogIn(till.container, 32);
  const taken = await hogIn(batch.container, 16);
  await nearThreshold(service, { mode: 'enforce' });
  await crossThreshold(service, taken);
  const [eviction] = await service.recorded('eviction');
  assert.equal(eviction?.['name'], 'batch');
  assert.equal(eviction['outcome'], 'gone', String(eviction['why']));
  assert.equal(populated(batch), false);
  assert.equal(kept.isRunning, true, 'its neighbour lives');
  const audit = statSync('/var/lib/nodeqos/audit.jsonl');
  assert.equal(String(audit.uid), (await succeed('id', '-u', 'nodeqos')).trim());
  assert.equal(audit.mode & 0o777, 0o600);
  assert.match(
    (await service.answer('/metrics')) ?? '',
    /^nodeqos_evictions_total\{[^}]*"gone"[^}]*\} [1-9]/m,
  );
  const status = await succeed('nodeqos', 'status', '-o', 'json');
  assert.equal((JSON.parse(status) as { agent: { pid: number } }).agent.pid, await service.pid());
  notes(`memory with two pods and an eviction: ${memoryText()}`);
}

async function theJournalHasPriorities(service: Service): Promise<void> {
  service.add({ name: 'batch', class: 'BestEffort' });
  const thresholds = { hard: { 'memory.available': '99%' } };
  service.configure({ eviction: { enabled: true, thresholds, unmeasured: 'evict' } });
  await service.takeConfiguration();
  const expected = [
    ['the configuration changed', PRIORITY.info],
    ['MemoryPressure begins', PRIORITY.warning],
    ['would evict shop/batch', PRIORITY.notice],
  ] as const;
  for (const [text, priority] of expected)
    assert.equal((await service.journalled(text)).PRIORITY, priority, text);
  service.breakConfiguration();
  await systemctl('reload', UNIT);
  assert.equal((await service.journalled('is refused')).PRIORITY, PRIORITY.error);
  const uid = (await succeed('id', '-u', 'nodeqos')).trim();
  const own = (await service.journal()).filter(({ _UID }) => _UID === uid);
  assert.ok(own.length >= expected.length, `${own.length} lines of its own`);
  for (const { MESSAGE, SYSLOG_IDENTIFIER } of own) {
    assert.equal(SYSLOG_IDENTIFIER, 'nodeqos', MESSAGE);
    // The journal has time and level itself.
    assert.doesNotMatch(MESSAGE, /^\d{4}-|^<\d>|^(?:info|notice|warning|error): /);
  }
}

async function isReloaded(service: Service): Promise<void> {
  service.add({ name: 'cart', class: 'Burstable', request: '32Mi', limit: '64Mi' });
  const pid = await service.pid();
  await service.state(({ pods }) => pods.count === 1, 'the pod');
  await sleep(2000);
  const loadedAt = async (): Promise<unknown> =>
    (await service.state(() => true, 'a state')).agent['configurationLoadedAt'];
  const before = await loadedAt();
  await systemctl('reload', UNIT);
  await service.state(({ agent }) => agent['configurationLoadedAt'] !== before, 'a configuration read again');
  service.breakConfiguration();
  await systemctl('reload', UNIT);
  await service.state(({ agent }) => agent['configurationValid'] === false, 'the refusal in its state');
  await service.journalled('the last good one stays');
  await service.says(/the configuration on disk is refused/);
  assert.deepEqual(await service.show('ActiveState'), { ActiveState: 'active' });
  service.configure({ mode: 'enforce' });
  await systemctl('reload', UNIT);
  await service.state(({ agent }) => agent['mode'] === 'enforce', 'the new mode');
  await service.settled();
  await sleep(1500);
  assert.match(
    (await service.show('StatusText'))['StatusText'] ?? '',
    /^enforce, evictions off; .*, 0 to write$/,
  );
  assert.equal(await service.pid(), pid, 'it is the same process all the time');
}

async function watchdogBringsItBack(service: Service, notes: Notes): Promise<void> {
  const cart = service.add({ name: 'cart', class: 'Burstable', request: '32Mi', limit: '64Mi' });
  await service.enforce();
  const pid = await service.pid();
  const before = Number((await service.show('NRestarts'))['NRestarts']);
  const writes = service.records('write').length;
  const startMs = performance.now();
  process.kill(pid, 'SIGSTOP');
  const next = await service.startedAgain(pid);
  notes(`stopped, missed and started again after ${Math.round((performance.now() - startMs) / 1000)} s`);
  assert.notEqual(next, pid);
  const { Result, NRestarts } = await service.show('Result', 'NRestarts');
  assert.deepEqual({ Result, NRestarts }, { Result: 'success', NRestarts: String(before + 1) });
  await service.journalled('Watchdog timeout');
  await service.settled();
  assert.equal(service.records('write').length, writes, 'what was written already was written again');
  assert.equal(readCgroup(cart.container, 'memory.low'), String(32 * MIB));
}

async function restartsAndStops(service: Service): Promise<void> {
  const cart = service.add({ name: 'cart', class: 'Burstable', request: '32Mi', limit: '64Mi' });
  const low = (): string => readCgroup(cart.container, 'memory.low');
  await service.enforce();
  const writes = service.records('write').length;
  const pid = await service.pid();
  process.kill(pid, 'SIGKILL');
  await service.startedAgain(pid);
  await service.settled();
  assert.equal(service.records('write').length, writes, 'what was written already was written again');
  await systemctl('stop', UNIT);
  assert.equal(low(), String(32 * MIB), 'onStop: keep');
  await service.enforce({ memoryQos: { onStop: 'reset' } });
  await systemctl('stop', UNIT);
  assert.equal(low(), '0', 'onStop: reset');
  assert.equal(readCgroup(cart.container, 'memory.high'), 'max');
  const { Result, ActiveState } = await service.show('Result', 'ActiveState');
  assert.deepEqual({ Result, ActiveState }, { Result: 'success', ActiveState: 'inactive' });
}

async function refusedIsNotTriedAgain(service: Service): Promise<void> {
  service.breakConfiguration();
  const { status } = await run('systemctl', 'start', UNIT);
  assert.notEqual(status, 0);
  const shown = await service.show('ActiveState', 'ExecMainStatus', 'NRestarts');
  assert.deepEqual(shown, { ActiveState: 'failed', ExecMainStatus: '78', NRestarts: '0' });
}

/** One of the two services at a time: whichever is started ends the other first. */
async function appliesWithoutAnAgent(service: Service): Promise<void> {
  const cart = service.add({ name: 'cart', class: 'Burstable', request: '32Mi', limit: '64Mi' });
  await systemctl('start', APPLY_UNIT);
  assert.equal((await service.show('ActiveState'))['ActiveState'], 'inactive');
  assert.equal(readCgroup(cart.container, 'memory.low'), String(32 * MIB));
  const late = service.add({ name: 'late', class: 'Guaranteed', request: '16Mi', limit: '16Mi' });
  await systemctl('reload', APPLY_UNIT);
  assert.equal(readCgroup(late.container, 'memory.min'), String(16 * MIB));
  await systemctl('start', UNIT);
  assert.equal((await run('systemctl', 'is-active', APPLY_UNIT)).stdout, 'inactive\n');
  assert.equal(readCgroup(cart.container, 'memory.low'), '0');
  assert.equal(readCgroup(late.container, 'memory.min'), '0');
}

type Test = (service: Service, notes: Notes) => Promise<void>;

function serviceCase(name: string, begin: () => Promise<Service>, test: Test): KernelCase {
  return {
    name: `the service ${name}`,
    run: (notes) => withService(begin, (service) => test(service, notes)),
  };
}

const running = (): Promise<Service> => Service.running();
const stopped = (): Promise<Service> => Service.stopped();

export const SERVICE_CASES: readonly KernelCase[] = [
  serviceCase('is ready when its first look is over, and not before', stopped, readyAfterTheFirstLook),
  serviceCase(
    'runs as its own user with the rights, the filter and the exposure of its unit',
    running,
    isWhatItsUnitSays,
  ),
  serviceCase(
    'tells the journal the priority of every line, and neither time nor level twice',
    running,
    theJournalHasPriorities,
  ),
  serviceCase(
    'takes a good configuration when it is reloaded, and stays as it is for a bad one',
    running,
    isReloaded,
  ),
  serviceCase(
    'as its own user, writes limits of root, evicts processes of root, is woken by pressure',
    running,
    enforcesAsItsOwnUser,
  ),
  serviceCase('outlives the OOM killer, and evicts afterwards', running, outlivesTheOomKiller),
  serviceCase(
    'is killed by the watchdog when it stands still, and comes back with what it had written',
    running,
    watchdogBringsItBack,
  ),
  serviceCase(
    'killed, is started again and adopts; stopped, leaves or restores as onStop says',
    running,
    restartsAndStops,
  ),
  serviceCase(
    'keeps the pages of its program while the whole machine is reclaimed, for its slice does',
    stopped,
    keepsItsPages,
  ),
  serviceCase(
    'gives way to nodeqos-apply, which writes, writes anew and restores, and takes over again',
    running,
    appliesWithoutAnAgent,
  ),
  serviceCase('is not started again with a configuration that is refused', stopped, refusedIsNotTriedAgain),
];
