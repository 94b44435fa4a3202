import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCritical, isFinished, isStaticOrMirror } from '../../../agent/decide/critical.ts';
import { distinctPods } from '../../../agent/decide/distinct-pods.ts';
import { podName } from '../../../agent/decide/pod-name.ts';
import { podWarnings } from '../../../agent/decide/pod-warnings.ts';
import { otherNodeWarning, podsNamingNode, podsOfNode } from '../../../agent/decide/pods-of-node.ts';
import type { Pod } from '../../../agent/model/pod.ts';
import { container, podOf } from '../../fakes/pods.ts';

const HASH = '0123456789abcdef0123456789abcdef';
const SOURCE = 'kubernetes.io/config.source';
const MIRROR = 'kubernetes.io/config.mirror';
const CONFIG_HASH = 'kubernetes.io/config.hash';

interface Traits {
  readonly uid?: string;
  readonly nodeName?: string;
  readonly phase?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string;
}

function named(name: string, { uid, nodeName, phase, annotations, deletionTimestamp }: Traits = {}): Pod {
  return podOf({
    name,
    metadata: {
      annotations: annotations ?? {},
      ...(uid === undefined ? {} : { uid }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    },
    spec: { containers: [container('c')], ...(nodeName === undefined ? {} : { nodeName }) },
    status: phase === undefined ? {} : { phase },
  });
}

function staticPod(name: string, more: Traits = {}): Pod {
  return named(name, { uid: HASH, annotations: { [SOURCE]: 'file', [CONFIG_HASH]: HASH }, ...more });
}

function mirrorPod(name: string, more: Traits = {}): Pod {
  const annotations = { [SOURCE]: 'file', [MIRROR]: HASH, [CONFIG_HASH]: HASH };
  return named(name, { uid: 'api-uid', annotations, ...more });
}

function names(pods: readonly Pod[], nodeName?: string): unknown {
  const counted = podsOfNode(pods, nodeName);
  return counted.ok ? counted.value.pods.map(podName) : counted.message;
}

describe('critical, static and finished pods', () => {
  it.each([
    ['no priority', podOf(), false],
    ['just below the system priorities', podOf({ spec: { priority: 1_999_999_999 } }), false],
    ['the lowest system priority', podOf({ spec: { priority: 2_000_000_000 } }), true],
    ['a class name alone', podOf({ spec: { priorityClassName: 'system-node-critical' } }), false],
    ['a static pod of priority 0', staticPod('a'), true],
    ['a mirror pod', mirrorPod('a'), true],
    ['a mirror pod that names no source', named('a', { annotations: { [MIRROR]: '' } }), true],
    ['a pod from the API', named('a', { annotations: { [SOURCE]: 'api' } }), false],
    ['a pod from a URL', named('a', { annotations: { [SOURCE]: 'http' } }), true],
    ['a pod whose source is empty', named('a', { annotations: { [SOURCE]: '' } }), true],
  ])('report 14: %s', (_, pod, expected) => {
    expect(isCritical(pod)).toBe(expected);
  });

  it('a pod is static, a mirror, or neither', () => {
    expect([staticPod('a'), mirrorPod('a'), named('a')].map(isStaticOrMirror)).toEqual([true, true, false]);
    expect(isStaticOrMirror(named('a', { annotations: { [MIRROR]: 'x' } }))).toBe(true);
  });

  it.each([
    ['Succeeded', true],
    ['Failed', true],
    ['Running', false],
    ['Pending', false],
    [undefined, false],
  ])('phase %s is finished: %s', (phase, expected) => {
    expect(isFinished(named('a', phase === undefined ? {} : { phase }))).toBe(expected);
  });
});

describe('which pods count on a node', () => {
  it('counts pods of the one node that is named, in the order of the input', () => {
    const pods = [named('b', { nodeName: 'n1' }), named('a', { nodeName: 'n1' })];
    expect(names(pods)).toEqual(['default/b', 'default/a']);
  });

  it('counts pods from files, which name no node, beside those that do', () => {
    expect(names([named('a'), named('b', { nodeName: 'n1' })])).toEqual(['default/a', 'default/b']);
    expect(names([named('a'), named('b', { nodeName: 'n1' })], 'n1')).toEqual(['default/a', 'default/b']);
  });

  it('refuses pods of several nodes without a choice', () => {
    const pods = ['n2', 'n1', 'n2'].map((nodeName, at) => named(`p${at}`, { nodeName }));
    expect(names(pods)).toBe('the pods are on 2 nodes (n1, n2); say which one with --node-name');
    expect(names(pods, 'n2')).toEqual(['default/p0', 'default/p2']);
  });

  it('names five nodes at most', () => {
    const pods = ['g', 'f', 'e', 'd', 'c', 'b', 'a'].map((nodeName) => named(nodeName, { nodeName }));
    expect(names(pods.slice(2))).toBe(
      'the pods are on 5 nodes (a, b, c, d, e); say which one with --node-name',
    );
    expect(names(pods)).toBe(
      'the pods are on 7 nodes (a, b, c, d, e and 2 more); say which one with --node-name',
    );
  });

  it('counts pods until they have succeeded or failed; a terminating one still counts', () => {
    const pods = [
      named('a', { phase: 'Succeeded' }),
      named('b', { phase: 'Failed' }),
      named('c', { phase: 'Running', deletionTimestamp: '2026-01-01T00:00:00Z' }),
      named('d', { phase: 'Pending', nodeName: 'n1', uid: 'u' }),
    ];
    expect(names(pods)).toEqual(['default/c', 'default/d']);
  });

  it('leaves out a pod that the API knows and no scheduler has placed', () => {
    const pods = [
      named('waiting', { phase: 'Pending', uid: 'u1' }),
      named('manifest', { phase: 'Pending' }),
      named('placed', { phase: 'Pending', uid: 'u2', nodeName: 'n1' }),
      named('running', { phase: 'Running', uid: 'u3' }),
      named('static', { phase: 'Pending', uid: 'u4', annotations: { [SOURCE]: 'file' } }),
    ];
    expect(names(pods)).toEqual(['default/manifest', 'default/placed', 'default/running', 'default/static']);
  });

  it('refuses a doubled UID, but not one of another node or without a UID', () => {
    const doubled = [named('b', { uid: 'u', nodeName: 'n1' }), named('a', { uid: 'u', nodeName: 'n1' })];
    expect(names(doubled)).toBe(
      'the UID u occurs 2 times (default/a, default/b); each pod must be there once',
    );
    expect(names([named('a'), named('a')])).toEqual(['default/a', 'default/a']);
    const elsewhere = [named('b', { uid: 'u', nodeName: 'n1' }), named('a', { uid: 'u', nodeName: 'n2' })];
    expect(names(elsewhere, 'n1')).toEqual(['default/b']);
  });

  it('warns of each counted pod, after the warning about the node', () => {
    const pods = [
      named('a', { phase: 'Running' }),
      named('b', { phase: 'Failed' }),
      named('c', { nodeName: 'n2', uid: 'u' }),
    ];
    const counted = podsOfNode(pods, 'n1');
    expect(counted.ok && counted.value.warnings).toEqual([
      {
        code: 'no-pods-of-node',
        message: 'no pod is on node n1; the pods are on n2',
        cgroup: null,
        pod: null,
      },
      {
        code: 'pod-without-uid',
        message: 'pod default/a has no UID: it counts in sums, but its cgroup is not known',
        cgroup: null,
        pod: 'default/a',
      },
    ]);
  });
});

describe('the choice of a node', () => {
  it('takes pods of that name and pods that name none', () => {
    const pods = [named('a'), named('b', { nodeName: 'n1' }), named('c', { nodeName: 'n2' })];
    expect(podsNamingNode(pods, 'n1').map(podName)).toEqual(['default/a', 'default/b']);
  });

  it('is warned of only where every pod that names a node names another', () => {
    const one = named('a', { nodeName: 'n1' });
    const free = named('b');
    expect(otherNodeWarning([one, free], [one, free], 'n1')).toEqual([]);
    expect(otherNodeWarning([free], [free], 'n1')).toEqual([]);
    expect(otherNodeWarning([one], [], undefined)).toEqual([]);
    expect(otherNodeWarning([one, free], [free], 'n9').map(({ message }) => message)).toEqual([
      'no pod is on node n9; the pods are on n1',
    ]);
  });
});

describe('each pod once', () => {
  function distinct(pods: readonly Pod[]): unknown {
    const result = distinctPods(pods);
    return result.ok ? result.value.map((pod) => `${pod.name} ${pod.uid ?? '-'}`) : result.message;
  }

  it('report 15: a static pod and its mirror are one, the static one, whichever comes first', () => {
    const expected = [`etcd ${HASH}`];
    expect(distinct([staticPod('etcd'), mirrorPod('etcd')])).toEqual(expected);
    expect(distinct([mirrorPod('etcd'), staticPod('etcd')])).toEqual(expected);
    expect(distinct([mirrorPod('etcd')])).toEqual(['etcd api-uid']);
    expect(mirrorPod('etcd').cgroupUid).toBe(HASH);
  });

  it('a manifest that names no node and a mirror that names one are one', () => {
    const pods = [staticPod('etcd'), mirrorPod('etcd', { nodeName: 'n1' })];
    expect(distinct(pods)).toEqual([`etcd ${HASH}`]);
  });

  it('static pods of two nodes may share a UID, with their mirrors', () => {
    const pods = [
      staticPod('etcd-n1', { nodeName: 'n1' }),
      mirrorPod('etcd-n1', { nodeName: 'n1' }),
      staticPod('etcd-n2', { nodeName: 'n2' }),
      mirrorPod('etcd-n2', { nodeName: 'n2', uid: 'api-uid-2' }),
    ];
    expect(distinct(pods)).toEqual([`etcd-n1 ${HASH}`, `etcd-n2 ${HASH}`]);
  });

  it('other pods of two nodes may not', () => {
    const pods = [named('a', { uid: 'u', nodeName: 'n1' }), named('b', { uid: 'u', nodeName: 'n2' })];
    expect(distinct(pods)).toBe(
      'the UID u occurs 2 times (default/a, default/b); each pod must be there once',
    );
  });

  it('a static pod and one from the API may not, wherever they are', () => {
    const pods = [staticPod('a', { nodeName: 'n1' }), named('b', { uid: HASH, nodeName: 'n2' })];
    expect(distinct(pods)).toBe(
      `the UID ${HASH} occurs 2 times (default/a, default/b); each pod must be there once`,
    );
  });

  it.each([
    ['two static pods', [staticPod('a'), staticPod('b')]],
    ['two mirrors', [mirrorPod('a'), mirrorPod('b', { uid: 'other' })]],
    ['a mirror and a pod of the API', [mirrorPod('a'), named('b', { uid: HASH })]],
    [
      'two static pods that name no node beside one of a node',
      [
        staticPod('a'),
        staticPod('b'),
        staticPod('c', { nodeName: 'n1' }),
        staticPod('d', { nodeName: 'n2' }),
      ],
    ],
  ])('%s are refused', (_, pods) => {
    expect(distinct(pods)).toMatch(new RegExp(`^the UID ${HASH} occurs [24] times \\(default/a, default/b`));
  });

  it('three pods of one UID are refused, a static one and its mirror among them', () => {
    const pods = [staticPod('a'), mirrorPod('b'), mirrorPod('c', { uid: 'other' })];
    expect(distinct(pods)).toBe(
      `the UID ${HASH} occurs 3 times (default/a, default/b, default/c); each pod must be there once`,
    );
  });

  it('the UID of a mirror in the API is doubled like any other', () => {
    const pods = [mirrorPod('a', { uid: 'u' }), named('b', { uid: 'u' })];
    expect(distinct(pods)).toBe(
      'the UID u occurs 2 times (default/a, default/b); each pod must be there once',
    );
  });

  it('keeps the order of the input and loses no pod but mirrors', () => {
    const uids = fc.uniqueArray(
      fc.string({ minLength: 1, unit: 'grapheme-ascii' }).filter((s) => !s.includes('/')),
    );
    fc.assert(
      fc.property(uids, (all) => {
        const pods = all.map((uid, at) => named(`p${at}`, { uid }));
        const result = distinctPods(pods);
        expect(result.ok && result.value).toEqual(pods);
      }),
    );
  });
});

describe('what a pod is warned of', () => {
  it('says where the status and the resources disagree', () => {
    const pod = podOf({ status: { qosClass: 'Guaranteed' } });
    expect(podWarnings(pod)).toEqual([
      {
        code: 'qos-class-differs',
        message:
          'pod default/web: its status says Guaranteed, its resources make it BestEffort; plan and rank go by the status',
        cgroup: null,
        pod: 'default/web',
      },
    ]);
  });

  it('says where a priority class has no number', () => {
    const pod = podOf({ metadata: { namespace: 'kube-system' }, spec: { priorityClassName: 'high' } });
    expect(podWarnings(pod)).toEqual([
      {
        code: 'priority-not-resolved',
        message:
          'pod kube-system/web: no priority is given for its priority class high, so 0 is taken; add the PriorityClass objects to the pods to have it resolved',
        cgroup: null,
        pod: 'kube-system/web',
      },
    ]);
  });

  it('says nothing of a pod that agrees with itself', () => {
    const spec = { priorityClassName: 'high', priority: 0 };
    expect(podWarnings(podOf({ spec, status: { qosClass: 'BestEffort' } }))).toEqual([]);
    expect(podWarnings(podOf())).toEqual([]);
  });
});
