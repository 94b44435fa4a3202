import { evictionStanding } from '../beside-kubelet.ts';
import { chooseEvictor } from '../evictor-choice.ts';
import { amiss, type DoctorCheck, fine, type Subject } from './check.ts';
import { evictorLacks } from './eviction-works.ts';
import type { DoctorFacts, SourceLook } from './facts.ts';

const group = 'nodeqos' as const;
const PODS: Subject = { id: 'pods-source', group, title: 'Source of pods' };
const STATS: Subject = { id: 'stats-source', group, title: 'Source of usage' };
const EVICTOR: Subject = { id: 'evictor', group, title: 'Evictor in enforce' };

const NO_PODS = 'without pods nothing can be planned, written or evicted';
const NO_USAGE = 'without usage pods cannot be ranked, and none is evicted';

/** Whom pods and usage come from, and who would end pods, as configured. */
export function sourceChecks(facts: DoctorFacts): readonly DoctorCheck[] {
  return [
    sourceCheck(PODS, facts.own.podsLook, NO_PODS),
    sourceCheck(STATS, facts.own.statsLook, NO_USAGE),
    evictorCheck(facts),
  ];
}

function sourceCheck(subject: Subject, look: SourceLook, consequence: string): DoctorCheck {
  switch (look.kind) {
    case 'there':
      return fine(subject, look.found);
    case 'lacking':
      return amiss(subject, 'missing', look.found, { consequence, remedy: look.remedy });
    case 'none':
      return amiss(subject, 'warning', look.found, {
        consequence,
        remedy: 'give --pods to each command, or set pods.source in nodeqos.yaml',
      });
  }
}

/** The evictor of enforce, whatever the mode is now; beside a kubelet that evicts by itself none is needed. */
function evictorCheck(facts: DoctorFacts): DoctorCheck {
  const { own, kubelet } = facts;
  const { eviction } = own.settings;
  const evictor = chooseEvictor(eviction.evictor, own.podsSource, evictorLacks(facts));
  const { because } = evictionStanding({
    eviction,
    mode: 'enforce',
    kubelet: kubelet.alive ?? undefined,
    evictor,
  });
  if (evictor.lack === undefined || because !== evictor.lack) {
    return fine(EVICTOR, because === undefined ? evictor.name : `none: ${because}`);
  }
  return amiss(EVICTOR, 'missing', evictor.lack, {
    consequence: 'no pod is ended, whatever the memory',
    remedy:
      evictor.name === 'api'
        ? 'name a kubeconfig that can be read in api.kubeconfig, or set eviction.evictor: cgroup'
        : 'name the socket of the runtime in runtime.endpoint, or set eviction.evictor: cgroup',
  });
}
