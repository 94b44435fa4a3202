import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NodeFolder } from '../fakes/node-folder.ts';
import { BINARY, nodeqos } from './binary.ts';

const PODS = 250;

let node: NodeFolder;

function uidOf(index: number): string {
  return `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
}

/** A cgroupfs node with many Burstable pods, so that a run of apply takes a while. */
function crowdedNode(): NodeFolder {
  const files: Record<string, string> = {};
  const items: object[] = [];
  const limits = (cgroup: string) => {
    Object.assign(files, {
      [`${cgroup}/memory.min`]: '0\n',
      [`${cgroup}/memory.low`]: '0\n',
      [`${cgroup}/memory.high`]: 'max\n',
      [`${cgroup}/memory.current`]: '4096\n',
    });
  };
  limits('kubepods');
  limits('kubepods/burstable');
  for (let index = 0; index < PODS; index += 1) {
    const id = String(index).padStart(64, '0');
    limits(`kubepods/burstable/pod${uidOf(index)}`);
    limits(`kubepods/burstable/pod${uidOf(index)}/${id}`);
    items.push({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'crowd', name: `p${index}`, uid: uidOf(index) },
      spec: {
        nodeName: 'n1',
        containers: [
          { name: 'c', image: 'i', resources: { requests: { memory: '8Mi' }, limits: { memory: '16Mi' } } },
        ],
      },
      status: { phase: 'Running', containerStatuses: [{ name: 'c', containerID: `containerd://${id}` }] },
    });
  }
  return new NodeFolder(files, {
    'var/lib/kubelet/config.yaml':
      'kind: KubeletConfiguration\napiVersion: kubelet.config.k8s.io/v1beta1\nmemoryThrottlingFactor: 0.8\nfeatureGates: {MemoryQoS: true}\nmemoryReservationPolicy: TieredReservation\n',
    'pods.json': JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
  });
}

beforeEach(() => {
  node = crowdedNode();
});

afterEach(() => {
  node.remove();
});

/** Starts apply, ends it with a signal once `written` files have changed, and gives its exit code and signal. */
async function endedAfter(written: number, signal: NodeJS.Signals): Promise<readonly unknown[]> {
  const args = ['apply', '--root', node.root, '--pods', node.path('pods.json'), '-o', 'json'];
  const child = spawn(process.execPath, [BINARY, ...args], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const probe = `sys/fs/cgroup/kubepods/burstable/pod${uidOf(written)}/memory.low`;
  while (child.exitCode === null && node.read(probe) === '0\n') {
    await new Promise((resolve) => setImmediate(resolve));
  }
  child.kill(signal);
  return (await ended) as readonly unknown[];
}

describe('an apply that is ended while it writes', () => {
  it('by SIGKILL, again and again, is undone by reset to the byte', async () => {
    const before = node.cgroups();
    for (const written of [0, 90, 200]) {
      expect(await endedAfter(written, 'SIGKILL')).toEqual([null, 'SIGKILL']);
      expect(existsSync(join(node.state, 'lock'))).toBe(true);
    }
    expect(node.cgroups()).not.toEqual(before);
    const { status, stderr } = nodeqos(['reset', '--root', node.root]);
    expect([status, stderr.includes('lock')]).toEqual([0, false]);
    expect(node.cgroups()).toEqual(before);
    expect(existsSync(join(node.state, 'lock'))).toBe(false);
  });

  it('by SIGTERM lets go of the lock, says 74, and is undone by reset', async () => {
    const before = node.cgroups();
    expect(await endedAfter(5, 'SIGTERM')).toEqual([74, null]);
    expect(existsSync(join(node.state, 'lock'))).toBe(false);
    expect(nodeqos(['reset', '--root', node.root]).status).toBe(0);
    expect(node.cgroups()).toEqual(before);
  });
});
