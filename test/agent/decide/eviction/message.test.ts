import { describe, expect, it } from 'vitest';
import { evictionMessage } from '../../../../agent/decide/eviction/message.ts';
import type { PodUsage } from '../../../../agent/model/pod.ts';
import type { Threshold } from '../../../../config/signal.ts';
import { amount, hard, soft } from '../../../fakes/eviction.ts';
import { container, podOf } from '../../../fakes/pods.ts';

const PLAIN = podOf({ name: 'plain' });

function messageOf(
  threshold: Threshold,
  available: string,
  victim: { pod?: ReturnType<typeof podOf>; usage?: PodUsage } = {},
  compat: 'nodeqos' | 'kubelet' = 'nodeqos',
): string {
  const reading = { available: amount(available), capacity: amount('16Gi'), source: 'a test' };
  return evictionMessage(threshold, reading, { pod: victim.pod ?? PLAIN, usage: victim.usage }, compat);
}

const DISK = 'The node was low on resource: ephemeral-storage. Threshold quantity: 2Gi, available: 1536Mi. ';

describe('the message of an eviction', () => {
  it.each<[string, string, string]>([
    [
      'V45: memory, a victim without statistics',
      messageOf(soft('memory.available', '2Gi', 60), '1500Mi'),
      'The node was low on resource: memory. Threshold quantity: 2Gi, available: 1500Mi. ',
    ],
    [
      'V46: process IDs',
      messageOf(hard('pid.available', '1200'), '500'),
      'The node was low on resource: pids. Threshold quantity: 1200, available: 500. ',
    ],
    [
      'allocatable memory is memory; a share is of the capacity; less than nothing is said so',
      messageOf(hard('allocatableMemory.available', '50%'), '-20'),
      'The node was low on resource: memory. Threshold quantity: 8Gi, available: -20. ',
    ],
    [
      'inodes are counted in thousands',
      messageOf(hard('nodefs.inodesFree', '5k'), '2048'),
      'The node was low on resource: inodes. Threshold quantity: 5k, available: 2048. ',
    ],
  ])('%s', (_, message, expected) => {
    expect(message).toBe(expected);
  });

  it('V47: containers that wrote more than their request, in the order of the statistics', () => {
    const pod = podOf({
      name: 'web',
      spec: {
        initContainers: [container('setup')],
        containers: [
          container('above-requests', { 'ephemeral-storage': '100Mi' }),
          container('at-request', { 'ephemeral-storage': '100Mi' }),
          container('half-known'),
        ],
        ephemeralContainers: [container('debugger')],
      },
    });
    const containerStorage = new Map([
      ['at-request', { rootfsBytes: amount('100Mi'), logsBytes: 0n }],
      ['half-known', { rootfsBytes: amount('1Gi') }],
      ['half-known-too', { logsBytes: amount('1Gi') }],
      ['stranger', { rootfsBytes: 1n, logsBytes: 1n }],
      ['debugger', { rootfsBytes: 1n, logsBytes: 1n }],
      ['setup', { rootfsBytes: 1n, logsBytes: 1n }],
      ['above-requests', { rootfsBytes: amount('600Mi'), logsBytes: amount('100Mi') }],
    ]);
    expect(messageOf(hard('nodefs.available', '2Gi'), '1.5Gi', { pod, usage: { containerStorage } })).toBe(
      `${DISK}Container setup was using 2, request is 0, has larger consumption of ephemeral-storage. Container above-requests was using 700Mi, request is 100Mi, has larger consumption of ephemeral-storage. `,
    );
    expect(messageOf(hard('nodefs.inodesFree', '5'), '4', { pod, usage: { containerStorage } })).toBe(
      'The node was low on resource: inodes. Threshold quantity: 5, available: 4. ',
    );
  });
  it('containers above their request of memory', () => {
    const pod = podOf({ name: 'web', spec: { containers: [container('c', { memory: '1Gi' })] } });
    const usage = { containerMemoryBytes: new Map([['c', amount('1.5Gi')]]), containerStorage: new Map() };
    const head = 'The node was low on resource: memory. Threshold quantity: 2Gi, available: 1Gi. ';
    expect(messageOf(hard('memory.available', '2Gi'), '1Gi', { pod, usage })).toBe(
      `${head}Container c was using 1536Mi, request is 1Gi, has larger consumption of memory. `,
    );
    expect(messageOf(hard('pid.available', '2Gi'), '1Gi', { pod, usage })).toBe(
      'The node was low on resource: pids. Threshold quantity: 2147483648, available: 1073741824. ',
    );
  });
  it('a pod that states a memory request for itself: by nodeqos only where it uses more, by the kubelet always', () => {
    const pod = podOf({
      name: 'web',
      spec: { resources: { requests: { memory: '1Gi' } }, containers: [container('c')] },
    });
    const head = 'The node was low on resource: memory. Threshold quantity: 2Gi, available: 1Gi. ';
    const line = (used: string): string =>
      `${head}Pod web was using ${used}, request is 1Gi, has larger consumption of memory. `;
    const told = (used: string, compat: 'nodeqos' | 'kubelet'): string =>
      messageOf(
        hard('memory.available', '2Gi'),
        '1Gi',
        { pod, usage: { memoryWorkingSetBytes: amount(used) } },
        compat,
      );
    expect(told('1025Mi', 'nodeqos')).toBe(line('1025Mi'));
    expect(told('1Gi', 'nodeqos')).toBe(head);
    expect(told('1Gi', 'kubelet')).toBe(line('1Gi'));
    expect(told('1Mi', 'kubelet')).toBe(line('1Mi'));
    expect(messageOf(hard('memory.available', '2Gi'), '1Gi', { pod, usage: {} }, 'kubelet')).toBe(head);
    const disk = { pod, usage: { memoryWorkingSetBytes: amount('5Gi') } };
    expect(messageOf(hard('nodefs.available', '2Gi'), '1536Mi', disk)).toBe(DISK);
    const cpuOnly = podOf({
      name: 'web',
      spec: { resources: { requests: { cpu: '1' } }, containers: [] },
    });
    expect(messageOf(hard('memory.available', '2Gi'), '1Gi', { ...disk, pod: cpuOnly }, 'kubelet')).toBe(
      head,
    );
  });
});
