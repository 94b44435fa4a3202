import { describe, expect, it } from 'vitest';
import { readPod } from '../../../../agent/observe/pods/podspec.ts';
import type { PlainRecord } from '../../../../config/text/plain-value.ts';
import { podDocument, podOf } from '../../../fakes/pods.ts';

const withPorts = (name: string, ...ports: readonly PlainRecord[]): PlainRecord => ({ name, ports });
const taken = (spec: PlainRecord) => podOf({ spec }).hostPorts?.map(({ port }) => port);

describe('ports of the node', () => {
  it('are those of regular containers and sidecars, on every address and TCP unless it is said', () => {
    const pod = podOf({
      spec: {
        initContainers: [
          withPorts('init', { containerPort: 1, hostPort: 1 }),
          { ...withPorts('sidecar', { containerPort: 2, hostPort: 2 }), restartPolicy: 'Always' },
        ],
        containers: [
          withPorts('c', { containerPort: 3, hostPort: 3, protocol: 'UDP', hostIP: '10.0.0.1' }),
          withPorts('d', { containerPort: 4 }),
        ],
      },
    });
    expect(pod.hostPorts).toEqual([
      { protocol: 'TCP', hostIp: '0.0.0.0', port: 2 },
      { protocol: 'UDP', hostIp: '10.0.0.1', port: 3 },
    ]);
  });

  it('are all of its ports on the host’s network', () => {
    const containers = [withPorts('c', { containerPort: 80 }, { containerPort: 81, hostPort: 82 })];
    expect(taken({ containers, hostNetwork: true })).toEqual([80, 82]);
    expect(taken({ containers, hostNetwork: false })).toEqual([82]);
  });

  it('are not there where it takes none', () => {
    expect('hostPorts' in podOf({ spec: { containers: [withPorts('c', { hostPort: 0 })] } })).toBe(false);
  });

  it('may be the first and the last', () => {
    const containers = [
      withPorts('c', { containerPort: 1, hostPort: 65_535 }, { containerPort: 65_535, hostPort: 1 }),
    ];
    expect(taken({ containers })).toEqual([65_535, 1]);
  });

  it.each<[string, PlainRecord, string, number]>([
    [
      'a host port too high',
      { containers: [withPorts('c', { containerPort: 80, hostPort: 65_536 })] },
      'spec containers 0 ports 0 hostPort',
      65_536,
    ],
    [
      'a host port below 0',
      { containers: [withPorts('c', { hostPort: -1 })] },
      'spec containers 0 ports 0 hostPort',
      -1,
    ],
    [
      'a container port of 0',
      { containers: [withPorts('c', { containerPort: 0 })] },
      'spec containers 0 ports 0 containerPort',
      0,
    ],
    [
      'a container port too high',
      { containers: [withPorts('c', { containerPort: 70_000 })] },
      'spec containers 0 ports 0 containerPort',
      70_000,
    ],
    [
      'one of an init container',
      { initContainers: [withPorts('i', {}, { hostPort: 70_000 })] },
      'spec initContainers 0 ports 1 hostPort',
      70_000,
    ],
  ])('%s is refused', (_, spec, path, port) => {
    const reading = readPod(podDocument({ spec }));
    if (reading.ok) throw new Error('it was read');
    expect([reading.path.join(' '), reading.message]).toEqual([
      path,
      `${port} is not a port; write a number from 1 to 65535`,
    ]);
  });
});
