import { describe, expect, it } from 'vitest';
import { qosPods } from '../../../agent/decide/qos-pods.ts';
import type { Pod } from '../../../agent/model/pod.ts';
import { cgroupLayout } from '../../../cgroup/paths.ts';
import { readCgroupSnapshot } from '../../../cgroup/snapshot.ts';
import type { CgroupDriver } from '../../../config/kubelet/settings.ts';
import { podOf } from '../../fakes/planning.ts';
import { cgroupTree, type FakeCgroup, type FakeTree } from '../../fakes/tree.ts';

const ID = 'ab12';

function pod(
  changes: { readonly metadata?: object; readonly spec?: object; readonly status?: object } = {},
): Pod {
  return podOf({
    metadata: { namespace: 'shop', name: 'web', uid: 'u-1', ...changes.metadata },
    spec: { containers: [{ name: 'app' }], ...changes.spec },
    status: { ...changes.status },
  });
}

function status(id: string, name = 'app') {
  return { containerStatuses: [{ name, containerID: id }] };
}

function planned(given: readonly Pod[], driver: CgroupDriver = 'cgroupfs', tree?: FakeTree) {
  const layout = cgroupLayout(driver, '/');
  const request = { layout, reserved: [], workingSets: true };
  return qosPods(given, layout, tree === undefined ? undefined : readCgroupSnapshot(tree, request));
}

function containerCgroup(id: string, driver: CgroupDriver, cgroups?: Record<string, FakeCgroup>) {
  const tree = cgroups === undefined ? undefined : cgroupTree(cgroups);
  return planned([pod({ status: status(id) })], driver, tree).pods[0]?.containers[0]?.cgroup;
}

describe('qosPods', () => {
  it('gives a pod its class, its memory and its cgroups', () => {
    const given = pod({
      spec: {
        overhead: { memory: '1' },
        containers: [{ name: 'app', resources: { requests: { memory: '100m' }, limits: { memory: '8Ki' } } }],
      },
      status: status(`containerd://${ID}`),
    });
    expect(planned([given])).toEqual({
      pods: [
        {
          namespace: 'shop',
          name: 'web',
          uid: 'u-1',
          qosClass: 'Burstable',
          requestBytes: 2n,
          limitBytes: 8193n,
          podLevel: false,
          podLevelLimitBytes: null,
          cgroup: 'kubepods/burstable/podu-1',
          containers: [
            { name: 'app', requestBytes: 1n, limitBytes: 8192n, cgroup: 'kubepods/burstable/podu-1/ab12' },
          ],
        },
      ],
      warnings: [],
    });
  });

  it('pod-level resources are said, with the limit that stands in', () => {
    const resources = { requests: { memory: '1Ki' }, limits: { memory: '2Ki' } };
    const [given] = planned([pod({ spec: { resources } })]).pods;
    expect(given).toMatchObject({
      podLevel: true,
      podLevelLimitBytes: 2048n,
      limitBytes: 2048n,
      requestBytes: 1024n,
    });
    const [cpuOnly] = planned([pod({ spec: { resources: { limits: { cpu: '1' } } } })]).pods;
    expect(cpuOnly).toMatchObject({ podLevel: true, podLevelLimitBytes: null, limitBytes: null });
  });

  it('the class of the status is in force, and the cgroup is where it says', () => {
    const [given] = planned([pod({ status: { qosClass: 'Guaranteed' } })]).pods;
    expect(given).toMatchObject({ qosClass: 'Guaranteed', cgroup: 'kubepods/podu-1' });
  });

  it('a mirror pod goes by the UID of its static pod, and is shown by its own', () => {
    const annotations = { 'kubernetes.io/config.mirror': 'x', 'kubernetes.io/config.hash': 'hash' };
    const [given] = planned([pod({ metadata: { annotations } })]).pods;
    expect(given).toMatchObject({ uid: 'u-1', cgroup: 'kubepods/besteffort/podhash' });
  });

  it('a manifest without UID counts, with no cgroup', () => {
    const manifest = podOf({ metadata: { name: 'x' }, spec: { containers: [{ name: 'app' }] } });
    const [given] = planned([manifest]).pods;
    expect(given).toMatchObject({ uid: null, cgroup: null, containers: [{ cgroup: null }] });
  });

  it('init containers count until they have ended, sidecars always, ephemeral ones never', () => {
    const spec = {
      initContainers: [{ name: 'done' }, { name: 'running' }, { name: 'side', restartPolicy: 'Always' }],
      ephemeralContainers: [{ name: 'debug' }],
    };
    const ended = (name: string) => ({ name, state: { terminated: { exitCode: 0 } } });
    const initContainerStatuses = [ended('done'), { name: 'running', state: { running: {} } }, ended('side')];
    const [given] = planned([pod({ spec, status: { initContainerStatuses } })]).pods;
    expect(given?.containers.map(({ name }) => name)).toEqual(['running', 'side', 'app']);
  });

  it('sorts pods by namespace, name and UID', () => {
    const named = (namespace: string, name: string, uid?: string) =>
      podOf({
        metadata: { namespace, name, ...(uid === undefined ? {} : { uid }) },
        spec: { containers: [{ name: 'c' }] },
      });
    const given = [
      named('b', 'a', '1'),
      named('a', 'b', '2'),
      named('a', 'b', '1'),
      named('a', 'b'),
      named('a', 'a', '9'),
    ];
    const order = planned(given).pods.map(({ namespace, name, uid }) => `${namespace}/${name}/${uid ?? '-'}`);
    expect(order).toEqual(['a/a/9', 'a/b/-', 'a/b/1', 'a/b/2', 'b/a/1']);
  });

  it('takes the working set of the pod from the tree', () => {
    const tree = cgroupTree({
      kubepods: {},
      'kubepods/besteffort': {},
      'kubepods/besteffort/podu-1': { current: 9n, inactiveFile: 2n },
    });
    expect(planned([pod()], 'cgroupfs', tree).pods[0]?.workingSetBytes).toBe(7n);
  });

  it('a negative request that came past the API is 0', () => {
    const negative = pod();
    const memory = { unscaled: -5n, exponent: 0, format: 'DecimalSI' } as const;
    const containers = negative.containers.map((container) => ({
      ...container,
      requests: new Map([['memory', memory]]),
    }));
    expect(planned([{ ...negative, containers }]).pods[0]).toMatchObject({
      requestBytes: 0n,
      containers: [{ requestBytes: 0n }],
    });
  });
});

describe('the cgroup of a container', () => {
  const folder = 'kubepods/besteffort/podu-1';
  const slice = 'kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-podu_1.slice';

  it.each([
    ['containerd', 'systemd', `${slice}/cri-containerd-ab12.scope`],
    ['cri-o', 'systemd', `${slice}/crio-ab12.scope`],
    ['docker', 'systemd', `${slice}/docker-ab12.scope`],
    ['containerd', 'cgroupfs', `${folder}/ab12`],
    ['docker', 'cgroupfs', `${folder}/ab12`],
    ['cri-o', 'cgroupfs', null],
    ['frakti', 'systemd', null],
  ] as const)('of %s under %s, offline', (runtime, driver, cgroup) => {
    expect(containerCgroup(`${runtime}://${ID}`, driver)).toBe(cgroup);
  });

  it.each([
    ['the one with the prefix', `${folder}/crio-ab12`, `${folder}/crio-ab12`],
    ['the plain one', `${folder}/ab12`, `${folder}/ab12`],
    ['neither', `${folder}/other`, null],
  ])('CRI-O under cgroupfs: %s is in the tree', (_name, there, cgroup) => {
    const cgroups = { kubepods: {}, 'kubepods/besteffort': {}, [folder]: {}, [there]: {} };
    expect(containerCgroup(`cri-o://${ID}`, 'cgroupfs', cgroups)).toBe(cgroup);
  });

  it('a runtime that nobody knows is a warning', () => {
    expect(planned([pod({ status: status(`frakti://${ID}`) })]).warnings).toEqual([
      {
        code: 'runtime-not-known',
        message: 'pod shop/web: how the runtime of container app names its cgroup is not known',
        cgroup: null,
        pod: 'shop/web',
      },
    ]);
  });

  it('a UID that would lead out of the tree is a warning, and has no cgroup', () => {
    const hostile = { ...pod({ status: status(`containerd://${ID}`) }), cgroupUid: '../../x' };
    const { pods, warnings } = planned([hostile]);
    expect(pods[0]).toMatchObject({ cgroup: null, containers: [{ cgroup: null }] });
    expect(warnings).toEqual([
      {
        code: 'pod-uid-not-usable',
        message: "pod shop/web: its UID cannot be part of a cgroup's name, so its cgroup is not known",
        cgroup: null,
        pod: 'shop/web',
      },
    ]);
  });
});

describe('what is not in the tree', () => {
  const folder = 'kubepods/besteffort/podu-1';
  const withPod = { kubepods: {}, 'kubepods/besteffort': {}, [folder]: {} };
  const two = pod({
    spec: { containers: [{ name: 'app' }, { name: 'log' }] },
    status: status(`containerd://${ID}`),
  });

  it('containers without ID are named in one warning a pod, on a node only', () => {
    expect(
      planned(
        [pod({ spec: { containers: [{ name: 'a' }, { name: 'b' }] } })],
        'cgroupfs',
        cgroupTree(withPod),
      ).warnings,
    ).toEqual([
      {
        code: 'container-without-id',
        message: 'pod shop/web: its status gives no ID of a, b, so their cgroups are not known',
        cgroup: null,
        pod: 'shop/web',
      },
    ]);
    expect(planned([two]).warnings).toEqual([]);
  });

  it('a container that is gone', () => {
    const { warnings } = planned(
      [pod({ status: status(`containerd://${ID}`) })],
      'cgroupfs',
      cgroupTree(withPod),
    );
    expect(warnings).toEqual([
      {
        code: 'container-not-found',
        message: 'pod shop/web: the cgroup of container app is not in the tree',
        cgroup: `${folder}/ab12`,
        pod: 'shop/web',
      },
    ]);
  });

  it('a container that went away between list and read', () => {
    const tree = cgroupTree({ ...withPod, [`${folder}/ab12`]: {} }).remove(`${folder}/ab12/memory.low`);
    const { warnings } = planned([pod({ status: status(`containerd://${ID}`) })], 'cgroupfs', tree);
    expect(warnings.map(({ code }) => code)).toEqual(['container-not-found']);
  });

  it('a pod that is gone, without a word on each container', () => {
    const tree = cgroupTree({ kubepods: {} });
    expect(planned([pod({ status: status(`containerd://${ID}`) })], 'cgroupfs', tree).warnings).toEqual([
      {
        code: 'pod-not-found',
        message: `pod shop/web: its cgroup ${folder} is not in the tree`,
        cgroup: folder,
        pod: 'shop/web',
      },
    ]);
  });

  it('all of it is there', () => {
    const tree = cgroupTree({ ...withPod, [`${folder}/ab12`]: {} });
    expect(planned([pod({ status: status(`containerd://${ID}`) })], 'cgroupfs', tree).warnings).toEqual([]);
  });
});
