import { describe, expect, it } from 'vitest';
import { liveKubelet } from '../../../agent/observe/kubelet-process.ts';
import { LiteralTree } from '../../fakes/literal-tree.ts';

const HEAD = 'Num       RefCount Protocol Flags    Type St Inode Path\n';

function unix(path: string, flags = '00010000'): Record<string, string> {
  return { 'proc/net/unix': `${HEAD}0000000000000000: 00000002 00000000 ${flags} 0001 01 12345 ${path}\n` };
}

function process(pid: number, comm: string, status: string): Record<string, string> {
  return { [`proc/${pid}/comm`]: `${comm}\n`, [`proc/${pid}/status`]: status };
}

const OF_ROOT = 'Name:\tkubelet\nState:\tS (sleeping)\nUid:\t0\t0\t0\t0\n';

describe('a live kubelet', () => {
  it.each<[string, Record<string, string>, string | undefined]>([
    ['is a process of root of that name', process(812, 'kubelet', OF_ROOT), 'process 812 is a kubelet'],
    [
      'is the first of several',
      { ...process(1000, 'kubelet', OF_ROOT), ...process(812, 'kubelet', OF_ROOT) },
      'process 812 is a kubelet',
    ],
    [
      'listens where device plugins find it',
      unix('/var/lib/kubelet/device-plugins/kubelet.sock'),
      'a kubelet listens on /var/lib/kubelet/device-plugins/kubelet.sock',
    ],
    [
      'listens where the resources of pods are told',
      unix('/var/lib/kubelet/pod-resources/kubelet.sock'),
      'a kubelet listens on /var/lib/kubelet/pod-resources/kubelet.sock',
    ],
    [
      'listens where a distribution has put it, under a process of another name',
      { ...unix('/var/snap/microk8s/common/var/lib/kubelet/device-plugins/kubelet.sock') },
      'a kubelet listens on /var/snap/microk8s/common/var/lib/kubelet/device-plugins/kubelet.sock',
    ],
    [
      'listens on the node, and is looked for from a pod with a network of its own',
      {
        ...unix('/run/other.sock'),
        'proc/1/net/unix': unix('/var/lib/kubelet/pod-resources/kubelet.sock')['proc/net/unix'] ?? '',
      },
      'a kubelet listens on /var/lib/kubelet/pod-resources/kubelet.sock',
    ],
    ['is not there on an empty machine', {}, undefined],
    [
      'is not one who only talks',
      unix('/var/lib/kubelet/device-plugins/kubelet.sock', '00000000'),
      undefined,
    ],
    ['is not a socket that anybody may make', unix('/tmp/device-plugins/kubelet.sock'), undefined],
    ['is not a plugin of one', unix('/var/lib/kubelet/device-plugins/gpu.sock'), undefined],
    ['is not a socket without a path', unix(''), undefined],
    [
      'is not a process of another user',
      process(812, 'kubelet', OF_ROOT.replace('Uid:\t0', 'Uid:\t1000')),
      undefined,
    ],
    [
      'is not a dead process',
      process(812, 'kubelet', OF_ROOT.replace('S (sleeping)', 'Z (zombie)')),
      undefined,
    ],
    ['is not a process that ended while it was looked at', { 'proc/812/comm': 'kubelet\n' }, undefined],
    ['is not a process of a longer name', process(812, 'kubelet-proxy', OF_ROOT), undefined],
    ['is not a process that may not be looked at', process(812, '!EACCES', OF_ROOT), undefined],
  ])('%s', (_, files, expected) => {
    expect(liveKubelet({ kind: 'host', files: new LiteralTree(files) })).toBe(expected);
  });

  it.each(['folder', 'archive'] as const)('is none under a root that is a %s', (kind) => {
    const files = new LiteralTree({
      ...process(812, 'kubelet', OF_ROOT),
      ...unix('/var/lib/kubelet/device-plugins/kubelet.sock'),
    });
    expect(liveKubelet({ kind, files })).toBeUndefined();
  });
});
