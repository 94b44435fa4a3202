import type { Assembly } from './assembly.ts';
import { evictionRules, standingOf } from './setup.ts';

/** A kubelet that starts or stops is noticed within this time; one look at it costs some milliseconds. */
const LOOK_EVERY_MS = 30_000;

/**
 * Looks now and then whether a kubelet has come or gone, and changes how evictions stand with it: an agent that began alone
 * must not take a second victim beside a kubelet that was started later.
 */
export function standingLook({ parts, inForce, agent, hold }: Assembly): () => void {
  let lookedAtMs = parts.clock.nowMs();
  return () => {
    const nowMs = parts.clock.nowMs();
    const { run } = inForce;
    const { from } = run.pods.list.look(nowMs);
    // Whose pods they are decides who can evict them: that is not waited for.
    const isOfAnother = from !== undefined && from !== run.standing.podSource;
    if (nowMs - lookedAtMs < LOOK_EVERY_MS && !isOfAnother) return;
    lookedAtMs = nowMs;
    const standing = standingOf(run, parts);
    inForce.run = { ...run, standing };
    const { setup } = agent;
    const isSame =
      standing.evictor === run.standing.evictor &&
      standing.evictions === setup.eviction.evictions &&
      standing.because === setup.evictionsBecause &&
      (setup.eviction.taints === undefined || setup.eviction.taints.because === standing.taints.because);
    if (isSame) return;
    const eviction = evictionRules(run, parts, hold, standing);
    agent.use({ ...setup, eviction, evictionsBecause: standing.because });
  };
}
