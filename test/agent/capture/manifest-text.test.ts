import { describe, expect, it } from 'vitest';
import type { CaptureManifest } from '../../../agent/observe/captured/manifest.ts';
import { formatManifest, readManifest } from '../../../agent/observe/captured/manifest-text.ts';
import { readDocuments } from '../../../config/text/document.ts';
import type { PlainValue } from '../../../config/text/plain-value.ts';

const FULL: CaptureManifest = {
  root: '/',
  cgroupRoot: '/cg',
  cgroupMountPoint: '/cg',
  pageSizeBytes: 65536,
  inputs: {
    kubeletConfig: { path: 'var/lib/kubelet/config.yaml', name: '/k.yaml' },
    kubeletDropIns: [{ path: 'var/lib/kubelet/config.yaml.d/001-a.conf', name: '/d/a.conf' }],
    nodeqosConfig: { path: 'etc/nodeqos/nodeqos.yaml', name: '/n.yaml' },
    nodeqosDropIns: [{ path: 'etc/nodeqos/nodeqos.yaml.d/001-b.yaml', name: '/d/b.yaml' }],
    pods: { path: 'nodeqos-capture/pods.json', name: 'pods.yaml' },
    podWarnings: [
      { code: 'a', message: 'b', cgroup: null, pod: null },
      { code: 'c', message: 'd', cgroup: 'e', pod: 'f/g' },
    ],
    node: { path: 'nodeqos-capture/node.json', name: 'node.yaml' },
    statsSummary: { path: 'nodeqos-capture/summary.json', name: 'summary' },
    nodeName: 'n1',
    memoryCapacityBytes: 2n ** 60n + 1n,
    cgroupDriver: 'cgroupfs',
  },
  filesystems: new Map([
    ['nodefs', { capacityBytes: 2n ** 60n + 1n, availableBytes: 1n, inodes: 3n, inodesFree: 2n }],
  ]),
  host: {
    operatingSystem: 'Debian 12',
    kernel: '6.1.0',
    architecture: 'arm64',
    virtualisation: 'none',
    cpuCount: 4,
    memoryTotalBytes: 2n ** 60n + 1n,
  },
  failures: [{ path: 'proc/pressure/memory', code: 'EOPNOTSUPP' }],
};

const SMALL: CaptureManifest = {
  root: '/node',
  cgroupRoot: '/node/sys/fs/cgroup',
  cgroupMountPoint: '/sys/fs/cgroup',
  pageSizeBytes: 4096,
  inputs: { kubeletDropIns: [], nodeqosDropIns: [], podWarnings: [] },
  failures: [],
};

function valueOf(text: string): PlainValue {
  const reading = readDocuments({ file: 'manifest', text });
  if ('finding' in reading) throw new Error(reading.finding.message);
  return reading.documents[0]?.value ?? null;
}

describe('a manifest', () => {
  it.each([
    ['full', FULL],
    ['small', SMALL],
  ])('that is %s is the same one after it was written and read', (_, manifest) => {
    expect(readManifest(valueOf(formatManifest(manifest)))).toEqual({ ok: true, value: manifest });
  });

  const changed = (change: (text: string) => string): string => {
    const read = readManifest(valueOf(change(formatManifest(FULL))));
    return read.ok ? 'read' : read.message;
  };
  const UNREADABLE = 'has inputs, filesystems or failures that cannot be read';
  const refusals: readonly [string, (text: string) => string, string][] = [
    [
      'another version',
      (text) => text.replace('v1alpha1', 'v9'),
      'is not a NodeCapture of nodeqos.dev/v1alpha1; it was written by another version',
    ],
    [
      'another kind',
      (text) => text.replace('NodeCapture', 'Node'),
      'is not a NodeCapture of nodeqos.dev/v1alpha1; it was written by another version',
    ],
    [
      'no mount point',
      (text) => text.replace('cgroupMountPoint', 'x'),
      'does not name the root that was captured',
    ],
    [
      'no cgroup root',
      (text) => text.replace('"cgroupRoot"', '"x"'),
      'does not name the root that was captured',
    ],
    [
      'no page size',
      (text) => text.replace('"pageSizeBytes"', '"x"'),
      'has a pageSizeBytes that is not a power of two of at least 1024',
    ],
    [
      'a page size of 512',
      (text) => text.replace('65536', '512'),
      'has a pageSizeBytes that is not a power of two of at least 1024',
    ],
    [
      'a page size of 2 GiB',
      (text) => text.replace('65536', '2147483648'),
      'has a pageSizeBytes that is not a power of two of at least 1024',
    ],
    ['an absolute failure', (text) => text.replace('"proc/', '"/proc/'), UNREADABLE],
    ['a failure without a code', (text) => text.replace('"EOPNOTSUPP"', '1'), UNREADABLE],
    ['figures that are no numbers', (text) => text.replace('"inodes": 3', '"inodes": "3"'), UNREADABLE],
    ['a drop-in outside', (text) => text.replace('"etc/nodeqos/nodeqos.yaml.d', '"../x'), UNREADABLE],
    ['a warning without a message', (text) => text.replace('"message": "b"', '"message": 1'), UNREADABLE],
  ];
  it.each(refusals)('with %s is refused', (_, change, message) => {
    expect(changed(change)).toBe(message);
  });

  it('with a page size of 1024 is read', () => {
    expect(changed((text) => text.replace('65536', '1024'))).toBe('read');
  });
});
