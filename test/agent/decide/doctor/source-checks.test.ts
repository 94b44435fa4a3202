import { describe, expect, it } from 'vitest';
import { doctorReport, lackOf } from '../../../../agent/decide/doctor/report.ts';
import { doctorFacts, type FactsChange, settings, toldOf } from '../../../fakes/doctor-facts.ts';

const LACKING = { kind: 'lacking', found: '/p is not there', remedy: 'put it there' } as const;
const API: FactsChange = { own: { podsSource: 'api' } };
const NO_API =
  'the evictor api for pods from api has nobody to ask (there are no credentials: no api.kubeconfig and no service account), so evictions stay dry; eviction.evictor: cgroup works on cgroups alone';

function lack(change: FactsChange): string | undefined {
  return lackOf(doctorReport(doctorFacts(change)).checks)?.id;
}

describe('sources and the evictor', () => {
  it.each<[string, string, FactsChange, string]>([
    ['pods that are there', 'pods-source', {}, 'ok: auto: static pods of /etc/kubernetes/manifests'],
    [
      'pods that are not',
      'pods-source',
      { own: { podsLook: LACKING } },
      'missing: /p is not there | without pods nothing can be planned, written or evicted | put it there',
    ],
    [
      'auto that finds nothing',
      'pods-source',
      { own: { podsLook: { kind: 'none', found: 'auto: nothing' } } },
      'warning: auto: nothing | without pods nothing can be planned, written or evicted | give --pods to each command, or set pods.source in nodeqos.yaml',
    ],
    ['usage that is there', 'stats-source', {}, 'ok: the cgroup tree'],
    [
      'usage that is not',
      'stats-source',
      { own: { statsLook: LACKING } },
      'missing: /p is not there | without usage pods cannot be ranked, and none is evicted | put it there',
    ],
    ['an evictor', 'evictor', {}, 'ok: cgroup'],
    [
      'no evictions',
      'evictor',
      { own: { podsSource: 'api', settings: settings('eviction: {enabled: false}') } },
      'ok: none: eviction.enabled is false',
    ],
    [
      'an API that nobody can ask',
      'evictor',
      API,
      `missing: ${NO_API} | no pod is ended, whatever the memory | name a kubeconfig that can be read in api.kubeconfig, or set eviction.evictor: cgroup`,
    ],
    [
      'the same beside a kubelet that evicts',
      'evictor',
      { ...API, kubelet: { alive: 'a kubelet lives' } },
      'ok: none: a kubelet lives, which evicts by itself (eviction.alongsideKubelet: observe)',
    ],
    [
      'a runtime that nobody can ask',
      'evictor',
      {
        own: {
          settings: settings('eviction: {evictor: cri}'),
          runtimeLack: 'no socket of a runtime is there',
        },
      },
      'missing: the evictor cri has nobody to ask (no socket of a runtime is there), so evictions stay dry; eviction.evictor: cgroup works on cgroups alone | no pod is ended, whatever the memory | name the socket of the runtime in runtime.endpoint, or set eviction.evictor: cgroup',
    ],
  ])('%s', (_, id, change, expected) => {
    expect(toldOf(id, change)).toBe(expected);
  });

  it('are needed', () => {
    expect([
      lack({}),
      lack({ own: { podsLook: { kind: 'none', found: 'auto: nothing' } } }),
      lack({ own: { podsLook: LACKING, statsLook: LACKING } }),
      lack({ own: { statsLook: LACKING } }),
      lack(API),
    ]).toEqual([undefined, undefined, 'pods-source', 'stats-source', 'evictor']);
  });

  it('are needed for no more than they are for', () => {
    const works = (change: FactsChange): readonly string[] =>
      ['memory-qos-plan', 'eviction-signals'].map((id) => toldOf(id, change).replace(/^yes: .*/, 'yes'));
    expect(works({ own: { podsLook: LACKING } })).toEqual([
      'no: Source of pods: /p is not there',
      'no: Source of pods: /p is not there',
    ]);
    expect(works({ own: { statsLook: LACKING } })).toEqual(['yes', 'no: Source of usage: /p is not there']);
    expect(works(API)).toEqual(['yes', 'yes']);
  });
});
