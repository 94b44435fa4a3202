import { restoreJournal } from '../../act/limits/restore.ts';
import { EXIT, type ExitStatus } from '../../exit.ts';
import { health } from '../../report/answers/health.ts';
import { endedWrite } from '../../run/limit-events.ts';
import { runLoop } from '../../run/loop.ts';
import { sayWarnings } from '../console/document.ts';
import { VERSION } from '../console/version.ts';
import { statusOfFailures } from '../memory-qos/apply-result.ts';
import { healthLook } from './answers.ts';
import type { Assembly } from './assembly.ts';
import { letGo } from './setup.ts';
import { standingLook } from './standing.ts';
import { toldStanding } from './standing-news.ts';
import { startFacts, startWarnings } from './start.ts';
import { takeOver } from './take-over.ts';
import { startWakeSources } from './wake.ts';

/** How long the end of the agent waits for writes that block in the kernel. */
const LAST_WRITES_MS = 5000;

/** Tells that the agent starts, takes over what a former run had begun, and answers who asks from now on. */
export async function begin(all: Assembly): Promise<void> {
  const { parts, first, announcer, manager, answers, agent } = all;
  sayWarnings(parts.io, startWarnings(first, parts, agent.setup.eyes));
  const host = await startFacts(first, parts);
  const standing = toldStanding(agent.setup);
  await announcer.event({ kind: 'start', pid: process.pid, version: VERSION, host, standing });
  await all.standingNews.tell(agent.setup);
  await takeOver(all);
  await announcer.trouble('notify', manager.lack);
  await answers.open(announcer);
}

/** One tick, and all that it began; goes on until nothing is left to write. */
export async function once({ hold, agent }: Assembly): Promise<void> {
  await hold.ensure(agent.setup.mode);
  await agent.tick();
  await agent.writeAll();
  await agent.idle();
}

/** Ticks until the process is told to end. */
export async function untilAborted(all: Assembly): Promise<void> {
  const { parts, first, agent, wakeup, manager, stopping, reload, hold } = all;
  const { signal } = stopping;
  const lookAtStanding = standingLook(all);
  all.pressureTrigger.isArmed = await startWakeSources(parts, first, { ...all, signal });
  await runLoop({
    agent,
    clock: parts.clock,
    wakeup,
    manager,
    signal,
    isHealthy: () => health(healthLook(all.answerParts)).ok,
    betweenTicks: async () => {
      const isReloaded = await reload.ifWanted();
      lookAtStanding();
      await all.standingNews.tell(agent.setup);
      await hold.ensure(agent.setup.mode);
      return isReloaded;
    },
  });
}

/**
 * Ends tidily: no new write begins, those that block in the kernel are waited for a while, and the node is let go as
 * `memoryQos.onStop` says. Evictions that were begun are on disk: the next run sees them through.
 */
export async function end(all: Assembly): Promise<void> {
  const { parts, agent, memoryQos, announcer, answers, sinks, hold, manager, stopping } = all;
  manager.stopping();
  stopping.abort();
  memoryQos.halt();
  const ended = new AbortController();
  await Promise.race([agent.idle(), parts.clock.sleep(LAST_WRITES_MS, ended.signal)]);
  ended.abort();
  await restoreIfWanted(all);
  await announcer.event({ kind: 'stop', reason: stopReason(parts.io.signal) });
  await all.cluster.close();
  await answers.close();
  await sinks.close();
  letGo(all.inForce.run);
  for (const peers of all.formerPeers) peers.close();
  hold.release();
}

/**
 * Of a single tick, as `apply` has it: 77 where no value could be written for want of permission, 74 where one could not be
 * written for another reason, for want of the lock, the mount or the journal also; else 0.
 */
export function statusOfRun({ memoryQos, hold, parts }: Assembly): ExitStatus {
  const { hasWritten, isHeldBack, failures } = memoryQos.tally;
  if (!parts.args.once) return EXIT.ok;
  if (failures.size > 0) return statusOfFailures([...failures], hasWritten);
  return isHeldBack ? hold.statusOfLack : EXIT.ok;
}

async function restoreIfWanted({ inForce, hold, announcer }: Assembly): Promise<void> {
  const { limits } = hold;
  const { mode, memoryQos } = inForce.run.settings;
  if (mode !== 'enforce' || memoryQos.onStop !== 'reset' || limits === undefined) return;
  const { results, notForgotten } = await restoreJournal({ ...limits, interrupted: () => false });
  for (const result of results) {
    // The journal knows cgroups only.
    const owner = { pod: null, container: null, from: result.write.current };
    await announcer.event(endedWrite({ ...result, write: { ...result.write, ...owner } }));
  }
  await announcer.trouble('journal', notForgotten?.message);
}

function stopReason(signal: AbortSignal): string {
  return signal.aborted ? String(signal.reason) : 'done';
}
