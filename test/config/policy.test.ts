import { describe, expect, it } from 'vitest';
import { readKubeletConfiguration } from '../../config/kubelet/read.ts';
import type { KubeletSettings } from '../../config/kubelet/settings.ts';
import { readNodeQosConfiguration } from '../../config/nodeqos/read.ts';
import type { NodeQosSettings } from '../../config/nodeqos/settings.ts';
import {
  evictionThresholds,
  maxPodGracePeriodSeconds,
  memoryQosPolicy,
  pressureTransitionPeriodMs,
} from '../../config/policy.ts';

function kubelet(text: string): KubeletSettings {
  const head = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
  const { settings } = readKubeletConfiguration({ file: 'k', text: head + text }, []);
  if (settings === undefined) {
    throw new Error('refused');
  }
  return settings;
}

function nodeqos(text: string): NodeQosSettings {
  const head = 'apiVersion: nodeqos.dev/v1alpha1\nkind: NodeQosConfiguration\n';
  const { settings } = readNodeQosConfiguration({ file: 'n', text: head + text }, []);
  if (settings === undefined) {
    throw new Error('refused');
  }
  return settings;
}

const ofKubelet = kubelet(
  'memoryThrottlingFactor: 0.7\nmemoryReservationPolicy: TieredReservation\nevictionMaxPodGracePeriod: 7\nevictionPressureTransitionPeriod: 7s',
);

describe('the policy of Memory QoS', () => {
  it("is the kubelet's where nothing else is said", () => {
    expect(memoryQosPolicy(ofKubelet, nodeqos(''))).toEqual({
      memoryThrottlingFactor: 0.7,
      memoryReservationPolicy: 'TieredReservation',
      protection: 'kubelet',
      headroom: 0.1,
    });
    expect(memoryQosPolicy(kubelet(''), nodeqos('')).memoryThrottlingFactor).toBeNull();
  });

  it('is that of nodeqos.yaml where it says something, and the command line wins', () => {
    const own = nodeqos(
      'memoryQos: {throttlingFactor: 0.8, reservationPolicy: None, protection: safe, headroom: 20%}',
    );
    expect(memoryQosPolicy(ofKubelet, own)).toEqual({
      memoryThrottlingFactor: 0.8,
      memoryReservationPolicy: 'None',
      protection: 'safe',
      headroom: 0.2,
    });
    expect(
      memoryQosPolicy(ofKubelet, own, {
        throttlingFactor: 0.9,
        reservationPolicy: 'TieredReservation',
        protection: 'kubelet',
      }),
    ).toEqual({
      memoryThrottlingFactor: 0.9,
      memoryReservationPolicy: 'TieredReservation',
      protection: 'kubelet',
      headroom: 0.2,
    });
  });
});

describe('eviction settings in force', () => {
  const own = nodeqos(
    'eviction: {thresholds: {hard: {memory.available: 1Gi}}, pressureTransitionPeriod: 0s, maxPodGracePeriodSeconds: 0}',
  );

  it("are the kubelet's where nodeqos.yaml says nothing", () => {
    expect(evictionThresholds(ofKubelet, nodeqos(''))).toBe(ofKubelet.evictionThresholds);
    expect(pressureTransitionPeriodMs(ofKubelet, nodeqos(''))).toBe(7000);
    expect(maxPodGracePeriodSeconds(ofKubelet, nodeqos(''))).toBe(7);
  });

  it('are those of nodeqos.yaml, zeros too, with copies where pods are enforced', () => {
    const ids = (settings: KubeletSettings): readonly string[] =>
      evictionThresholds(settings, own).map(({ id }) => id);
    expect(ids(ofKubelet)).toEqual(['allocatableMemory.available hard 1Gi', 'memory.available hard 1Gi']);
    expect(ids(kubelet('enforceNodeAllocatable: []'))).toEqual(['memory.available hard 1Gi']);
    expect(pressureTransitionPeriodMs(ofKubelet, own)).toBe(0);
    expect(maxPodGracePeriodSeconds(ofKubelet, own)).toBe(0);
  });
});
