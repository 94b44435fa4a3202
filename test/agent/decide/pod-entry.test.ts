import { describe, expect, it } from 'vitest';
import { podEntry } from '../../../agent/decide/pod-entry.ts';
import { container, podOf, sidecar } from '../../fakes/pods.ts';

const GI = 1024n ** 3n;

describe('the entry of a pod', () => {
  it('has every field of the contract, in its order', () => {
    const pod = podOf({
      name: 'db-0',
      metadata: { namespace: 'shop', uid: 'u-1' },
      spec: {
        priority: -5,
        overhead: { cpu: '250m', memory: '120Mi' },
        initContainers: [
          container('setup', { memory: '1Mi' }),
          sidecar('proxy', { memory: '64Mi', cpu: '10m' }),
        ],
        containers: [container('db', { memory: '1Gi' }, { memory: '2Gi', cpu: '1.5' })],
        ephemeralContainers: [container('debug')],
      },
      status: { qosClass: 'Guaranteed' },
    });
    const entry = podEntry(pod, 16n * GI);
    expect(entry).toEqual({
      namespace: 'shop',
      name: 'db-0',
      uid: 'u-1',
      qosClass: 'Burstable',
      reportedQosClass: 'Guaranteed',
      memoryRequestBytes: GI + 184n * 1024n * 1024n,
      memoryLimitBytes: null,
      cpuRequestMilli: 1760n,
      priority: -5,
      critical: false,
      containers: [
        {
          name: 'setup',
          type: 'init',
          memoryRequestBytes: 1048576n,
          memoryLimitBytes: null,
          oomScoreAdj: -997,
        },
        {
          name: 'proxy',
          type: 'sidecar',
          memoryRequestBytes: 67108864n,
          memoryLimitBytes: null,
          oomScoreAdj: -997,
        },
        { name: 'db', type: 'regular', memoryRequestBytes: GI, memoryLimitBytes: 2n * GI, oomScoreAdj: -997 },
        {
          name: 'debug',
          type: 'ephemeral',
          memoryRequestBytes: 0n,
          memoryLimitBytes: null,
          oomScoreAdj: -997,
        },
      ],
    });
    expect(Object.keys(entry)).toEqual([
      'namespace',
      'name',
      'uid',
      'qosClass',
      'reportedQosClass',
      'memoryRequestBytes',
      'memoryLimitBytes',
      'cpuRequestMilli',
      'priority',
      'critical',
      'containers',
    ]);
  });

  it('says null for what there is none of, and 0 for a priority that is not given', () => {
    const pod = podOf({
      metadata: { annotations: { 'kubernetes.io/config.source': 'file' } },
      spec: { containers: [container('a', {}, { memory: '512Mi', cpu: 0.5 })] },
    });
    expect(podEntry(pod, undefined)).toEqual({
      namespace: 'default',
      name: 'web',
      uid: null,
      qosClass: 'Guaranteed',
      reportedQosClass: null,
      memoryRequestBytes: 536870912n,
      memoryLimitBytes: 536870912n,
      cpuRequestMilli: 500n,
      priority: 0,
      critical: true,
      containers: [
        {
          name: 'a',
          type: 'regular',
          memoryRequestBytes: 536870912n,
          memoryLimitBytes: 536870912n,
          oomScoreAdj: null,
        },
      ],
    });
  });
});
