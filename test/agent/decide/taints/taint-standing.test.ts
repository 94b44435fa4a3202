import { describe, expect, it } from 'vitest';
import type { EvictionStanding } from '../../../../agent/decide/beside-kubelet.ts';
import { type TaintStandingInputs, taintStanding } from '../../../../agent/decide/taints/taint-standing.ts';

const ON: EvictionStanding = { evictions: 'on' };
const ALONE: TaintStandingInputs = { kubelet: undefined, podSource: 'file:/pods.yaml' };
const CONTROLLER = 'a cluster has a controller that evicts for taints';

describe('evictions for taints', () => {
  it.each<[string, EvictionStanding, Partial<TaintStandingInputs>, ReturnType<typeof taintStanding>]>([
    ['are on where evictions are, on a node alone', ON, {}, { evictions: 'on' }],
    [
      'are on for a folder of manifests and whatever is found',
      ON,
      { podSource: 'auto' },
      { evictions: 'on' },
    ],
    [
      'are dry where evictions are, for the same reason',
      { evictions: 'dry', because: 'the mode is dry-run' },
      {},
      { evictions: 'dry', because: 'the mode is dry-run' },
    ],
    ['are dry where evictions are off', { evictions: 'off' }, {}, { evictions: 'dry' }],
    [
      'are dry beside a live kubelet, even where evictions for shortages are real',
      ON,
      { kubelet: 'process 7 is a kubelet' },
      { evictions: 'dry', because: `process 7 is a kubelet, and ${CONTROLLER}` },
    ],
    [
      'name the kubelet before the mode',
      { evictions: 'dry', because: 'the mode is dry-run' },
      { kubelet: 'process 7 is a kubelet' },
      { evictions: 'dry', because: `process 7 is a kubelet, and ${CONTROLLER}` },
    ],
    [
      'are dry for pods from the API',
      ON,
      { podSource: 'api' },
      { evictions: 'dry', because: `pods come from api, and ${CONTROLLER}` },
    ],
    [
      'are dry for pods from a kubelet',
      ON,
      { podSource: 'kubelet:https://localhost:10250' },
      { evictions: 'dry', because: `pods come from kubelet:https://localhost:10250, and ${CONTROLLER}` },
    ],
    ['are on for a file called api', ON, { podSource: './api' }, { evictions: 'on' }],
  ])('%s', (_what, standing, more, expected) => {
    expect(taintStanding(standing, { ...ALONE, ...more })).toEqual(expected);
  });
});
