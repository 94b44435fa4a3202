import { describe, expect, it } from 'vitest';
import {
  type EvictionStanding,
  evictionStanding,
  type StandingInputs,
} from '../../../agent/decide/beside-kubelet.ts';
import { type ChosenEvictor, chooseEvictor } from '../../../agent/decide/evictor-choice.ts';
import type { NodeQosSettings } from '../../../config/nodeqos/settings.ts';

const KUBELET = 'process 812 is a kubelet';

const EVICTION: NodeQosSettings['eviction'] = {
  enabled: true,
  alongsideKubelet: 'observe',
  evictor: 'auto',
  budgetRefused: 'pass-over',
  unmeasured: 'skip',
  groups: 'ignore',
  protected: { namespaces: [], labels: new Map() },
  backOffMs: 60_000,
};

/** Enforcing, without a kubelet, by cgroups. */
function standing(parts: {
  readonly eviction?: Partial<NodeQosSettings['eviction']>;
  readonly mode?: StandingInputs['mode'];
  readonly kubelet?: string;
  readonly evictor?: ChosenEvictor;
}): EvictionStanding {
  return evictionStanding({
    eviction: { ...EVICTION, ...parts.eviction },
    mode: parts.mode ?? 'enforce',
    kubelet: parts.kubelet,
    evictor: parts.evictor ?? { name: 'cgroup' },
  });
}

const NO_THRESHOLDS =
  `${KUBELET}, and eviction.alongsideKubelet is act: that needs eviction.thresholds, since two agents on the same ` +
  'thresholds take two victims';
const BY_CGROUP =
  `${KUBELET}, and eviction.alongsideKubelet is act: that needs an evictor other than cgroup, since the kubelet starts ` +
  'again what is killed behind its back';

describe('evictions', () => {
  it.each<[string, Parameters<typeof standing>[0], EvictionStanding]>([
    ['are on where nodeqos enforces alone', {}, { evictions: 'on' }],
    [
      'are on where nobody lives beside, whatever would hold then',
      { eviction: { alongsideKubelet: 'act' } },
      { evictions: 'on' },
    ],
    [
      'are off where they are not enabled, whatever else is',
      { eviction: { enabled: false, alongsideKubelet: 'act' }, mode: 'dry-run', kubelet: KUBELET },
      { evictions: 'off', because: 'eviction.enabled is false' },
    ],
    ['are dry in dry-run', { mode: 'dry-run' }, { evictions: 'dry', because: 'the mode is dry-run' }],
    [
      'are dry with the dry evictor',
      { evictor: { name: 'dry' } },
      { evictions: 'dry', because: 'eviction.evictor is dry' },
    ],
    [
      'are dry where it is not known yet who evicts',
      { evictor: { name: 'dry', lack: 'not known yet' } },
      { evictions: 'dry', because: 'not known yet' },
    ],
    [
      'are dry with an evictor that is not there',
      { evictor: { name: 'cri', lack: 'no cri here' } },
      { evictions: 'dry', because: 'no cri here' },
    ],
    [
      'are dry beside a kubelet',
      { kubelet: KUBELET },
      {
        evictions: 'dry',
        because: `${KUBELET}, which evicts by itself (eviction.alongsideKubelet: observe)`,
      },
    ],
    [
      'are dry for the mode first, beside a kubelet in dry-run',
      { kubelet: KUBELET, mode: 'dry-run' },
      { evictions: 'dry', because: 'the mode is dry-run' },
    ],
    [
      'are on beside a kubelet with thresholds and an evictor that it is told by',
      {
        kubelet: KUBELET,
        eviction: { alongsideKubelet: 'act', thresholds: [] },
        evictor: { name: 'api' },
      },
      { evictions: 'on' },
    ],
    [
      'are refused beside a kubelet on its own thresholds',
      { kubelet: KUBELET, eviction: { alongsideKubelet: 'act' }, evictor: { name: 'api' } },
      { evictions: 'dry', because: NO_THRESHOLDS, refusal: NO_THRESHOLDS },
    ],
    [
      'are refused beside a kubelet by cgroups',
      { kubelet: KUBELET, eviction: { alongsideKubelet: 'act', thresholds: [] } },
      { evictions: 'dry', because: BY_CGROUP, refusal: BY_CGROUP },
    ],
    [
      'are refused in dry-run too, before somebody enforces it',
      { kubelet: KUBELET, eviction: { alongsideKubelet: 'act', thresholds: [] }, mode: 'dry-run' },
      { evictions: 'dry', because: BY_CGROUP, refusal: BY_CGROUP },
    ],
    [
      'are dry beside a kubelet with the dry evictor, and not refused',
      {
        kubelet: KUBELET,
        eviction: { alongsideKubelet: 'act', thresholds: [] },
        evictor: { name: 'dry' },
      },
      { evictions: 'dry', because: 'eviction.evictor is dry' },
    ],
    [
      'are dry beside a kubelet with an evictor that is not there, and not refused',
      {
        kubelet: KUBELET,
        eviction: { alongsideKubelet: 'act', thresholds: [] },
        evictor: { name: 'api', lack: 'no api here' },
      },
      { evictions: 'dry', because: 'no api here' },
    ],
  ])('%s', (_, parts, expected) => {
    expect(standing(parts)).toEqual(expected);
  });
});

describe('the evictor', () => {
  const NOT_KNOWN = 'it is not known yet from where the pods come, and so not who ends them';
  it.each<[Parameters<typeof chooseEvictor>, ChosenEvictor]>([
    [['auto', 'auto', {}], { name: 'cgroup' }],
    [['auto', 'file:/etc/pods.yaml', {}], { name: 'cgroup' }],
    [['auto', 'dir:/etc/kubernetes/manifests', {}], { name: 'cgroup' }],
    [['auto', 'api.yaml', {}], { name: 'cgroup' }],
    [['auto', 'crio.yaml', {}], { name: 'cgroup' }],
    [['auto', 'kubelet.yaml', {}], { name: 'cgroup' }],
    [['auto', 'api', {}], { name: 'api' }],
    [['auto', 'kubelet:https://localhost:10250', {}], { name: 'api' }],
    [['auto', 'cri:/run/containerd/containerd.sock', {}], { name: 'cri' }],
    [['auto', undefined, {}], { name: 'dry', lack: NOT_KNOWN }],
    [['cgroup', 'api', { api: 'no server' }], { name: 'cgroup' }],
    [['cri', undefined, {}], { name: 'cri' }],
    [['dry', 'api', { api: 'no server' }], { name: 'dry' }],
    [['auto', 'api', { cri: 'no socket' }], { name: 'api' }],
    [
      ['auto', 'api', { api: 'no server' }],
      { name: 'api', lack: missing('api', ' for pods from api', 'no server') },
    ],
    [
      ['auto', 'cri:/x.sock', { cri: 'no socket' }],
      { name: 'cri', lack: missing('cri', ' for pods from cri:/x.sock', 'no socket') },
    ],
    [['cri', 'auto', { cri: 'no socket' }], { name: 'cri', lack: missing('cri', '', 'no socket') }],
    [['api', undefined, { api: 'no server' }], { name: 'api', lack: missing('api', '', 'no server') }],
  ])('of %j', ([setting, source, lacks], expected) => {
    expect(chooseEvictor(setting, source, lacks)).toEqual(expected);
  });

  it('is not looked for among those who may be missing where nobody says that they are', () => {
    expect(chooseEvictor('auto', 'api')).toEqual({ name: 'api' });
  });

  function missing(name: string, from: string, why: string): string {
    return (
      `the evictor ${name}${from} has nobody to ask (${why}), so evictions stay dry; ` +
      'eviction.evictor: cgroup works on cgroups alone'
    );
  }
});
