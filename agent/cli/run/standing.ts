import type { Assembly } from './assembly.ts';
import { evictionRules, standingOf } from './setup.ts';

/** A kubelet that starts or stops is noticed within this time; one look at it costs some milliseconds. */
const LOOK_EVERY_MS = 30_000;

/**
 * Looks now and then whether a kubelet has come or gone, and changes how evictions stand with it: an agent that began alone
 * must not take a second victim beside a kubelet that was started later.
 */
export function standingLook({ parts, inForce, agent, hold, announcer }: Assembly): () => Promise<void> {
  let lookedAtMs = parts.clock.nowMs();
  return async () => {
    const nowMs = parts.clock.nowMs();
    if (nowMs - lookedAtMs < LOOK_EVERY_MS) return;
    lookedAtMs = nowMs;
    const { run } = inForce;
    const standing = standingOf(run, parts.args, parts.root);
    const { setup } = agent;
    const isSame =
      standing.evictions === setup.eviction.evictions &&
      standing.because === setup.evictionsBecause &&
      (setup.eviction.taints === undefined || setup.eviction.taints.because === standing.taints.because);
    if (isSame) return;
    const eviction = evictionRules(run, parts, hold, standing);
    agent.use({ ...setup, eviction, evictionsBecause: standing.because });
    await announcer.trouble('kubelet', standing.because);
  };
}
