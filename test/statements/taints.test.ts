import { describe, expect, it } from 'vitest';
import {
  withAutomaticTolerations,
  withDefaultSeconds,
} from '../../agent/decide/taints/automatic-tolerations.ts';
import { deviceReport } from '../../agent/decide/taints/device-report.ts';
import { editTaints } from '../../agent/decide/taints/edit-taints.ts';
import { expectedTaints } from '../../agent/decide/taints/expected-taints.ts';
import { taintText } from '../../agent/decide/taints/taint-text.ts';
import { podTaintEntry, tolerates } from '../../agent/decide/tolerate.ts';
import type { Taint } from '../../agent/model/node.ts';
import type { Pod, Toleration } from '../../agent/model/pod.ts';
import { readNodeObject } from '../../agent/observe/node-object.ts';
import { kubeletAdmission } from '../../agent/whatif/kubelet/admission.ts';
import { parseTaintAddition, parseTaintRemoval } from '../../config/taints/taint-spec.ts';
import type { PlainRecord } from '../../config/text/plain-value.ts';
import { nodeNamed, planFor, podNamed, snapshotOf } from '../fakes/cluster.ts';
import { podOf } from '../fakes/pods.ts';

/** `k=v:NoSchedule`. */
function taint(text: string): Taint {
  const read = parseTaintAddition(text);
  if (!read.ok) throw new Error(read.message);
  return read.value;
}
const tol = (parts: Partial<Toleration>): Toleration => ({
  key: '',
  operator: '',
  value: '',
  effect: '',
  ...parts,
});
const pod = (...tolerations: readonly Toleration[]): Pod => ({ ...podOf(), tolerations });
const entry = (taints: readonly string[], ...tolerations: readonly Toleration[]) =>
  podTaintEntry(pod(...tolerations), taints.map(taint));
const keysOf = (tolerations: readonly Toleration[]): readonly string[] =>
  tolerations.map(({ key, effect }) => `${key.replace('node.kubernetes.io/', '')}:${effect}`);

/** What is commonly said of taints and tolerations, by the number of the statement. */
describe('taints and tolerations', () => {
  const cluster = (spec: PlainRecord, nodeSpec: PlainRecord) => [
    podNamed('p', { spec }),
    nodeNamed('n', { labels: { disk: 'ssd' }, spec: nodeSpec }),
  ];
  const TAINTED = { taints: [{ key: 'a', value: 'x', effect: 'NoSchedule' }] };

  it('T1: labels that a pod asks for draw it to nodes, and taints keep it off them', () => {
    const outcome = (spec: PlainRecord, nodeSpec: PlainRecord) =>
      planFor(snapshotOf(...cluster(spec, nodeSpec))).outcome;
    expect(outcome({ nodeSelector: { disk: 'ssd' } }, {})).toBe('not-needed');
    expect(outcome({ nodeSelector: { disk: 'hdd' } }, {})).toBe('no-candidate');
    expect(outcome({}, TAINTED)).toBe('no-candidate');
  });

  it('T2: nodes have taints; a toleration lets a pod on such a node, and takes it nowhere', () => {
    const tolerations = [{ key: 'a', operator: 'Exists' }];
    const free = planFor(snapshotOf(...cluster({ tolerations }, TAINTED), nodeNamed('m')));
    expect(free.reason).toBe('it fits on m without preemption (on 2 of 2 nodes)');
  });

  it('T3: a node may have several taints, of which each has to be tolerated', () => {
    const two = ['a=x:NoSchedule', 'b=y:NoSchedule'];
    expect(entry(two, tol({ key: 'a', operator: 'Exists' })).firstUntolerated?.key).toBe('b');
  });

  it('T4: kubectl adds key=value:Effect, and takes it away with a dash at the end', () => {
    const added = taint('key1=value1:NoSchedule');
    expect(added).toEqual({ key: 'key1', value: 'value1', effect: 'NoSchedule' });
    const removal = parseTaintRemoval('key1=value1:NoSchedule-');
    expect(removal.ok && editTaints([added], { add: [], remove: [removal.value] })).toEqual({
      ok: true,
      value: [],
    });
  });

  it('T5: both Equal with the value and Exists tolerate it', () => {
    const parts = { key: 'key1', effect: 'NoSchedule' };
    const both = [
      tol({ ...parts, operator: 'Equal', value: 'value1' }),
      tol({ ...parts, operator: 'Exists' }),
    ];
    expect(both.map((one) => tolerates(one, taint('key1=value1:NoSchedule')))).toEqual([true, true]);
  });

  it('T6: past the scheduler NoSchedule counts for nothing, and NoExecute has the kubelet refuse all but static pods', () => {
    const answer = (effect: string, isStatic: boolean) => {
      const node = readNodeObject({
        kind: 'Node',
        metadata: { name: 'n' },
        spec: { taints: [{ key: 'a', effect }] },
        status: { allocatable: { cpu: '1', memory: '1Gi', pods: 3 } },
      });
      const [incoming] = snapshotOf(podNamed('p', { requests: 'S' })).pods;
      if (!node.ok || incoming === undefined) throw new Error('the scene is broken');
      return kubeletAdmission({ ...incoming, isStatic }, node.value, []).reason;
    };
    expect(answer('NoSchedule', false)).toBeNull();
    expect([answer('NoExecute', false), answer('NoExecute', true)]).toEqual(['TaintToleration', null]);
  });

  it('T7, T8: without an operator values must be equal; without a key or an effect every one is meant', () => {
    const matches = (parts: Partial<Toleration>, text = 'k=v:NoSchedule') =>
      tolerates(tol(parts), taint(text));
    expect([matches({ key: 'k', value: 'v' }), matches({ key: 'k', value: 'w' })]).toEqual([true, false]);
    expect([matches({ operator: 'Exists' }), matches({ operator: 'Exists', effect: 'NoExecute' })]).toEqual([
      true,
      false,
    ]);
    expect(matches({ key: 'k', operator: 'Exists' }, 'k:NoExecute')).toBe(true);
    expect([
      matches({ key: 'k', operator: 'Gt', value: '4' }, 'k=5:NoSchedule'),
      matches({ key: 'k', operator: 'Lt', value: '4' }, 'k=5:NoSchedule'),
    ]).toEqual([true, false]);
  });

  it('T9: NoExecute ends who does not tolerate it at once, who does for a time after it, and nobody else', () => {
    const outcome = (...tolerations: readonly Toleration[]) => {
      const { noExecute, evictAfterSeconds } = entry(['k:NoExecute'], ...tolerations);
      return [noExecute, evictAfterSeconds];
    };
    expect(outcome()).toEqual(['evict-now', null]);
    expect(outcome(tol({ key: 'k', operator: 'Exists', tolerationSeconds: 3600n }))).toEqual([
      'evict-after',
      3600n,
    ]);
    expect(outcome(tol({ key: 'k', operator: 'Exists' }))).toEqual(['stay', null]);
  });

  it('T10: NoSchedule keeps new pods away and lets those that run be', () => {
    expect(entry(['k:NoSchedule'])).toMatchObject({ schedulable: false, noExecute: 'stay' });
  });

  it('T11: PreferNoSchedule is only avoided, and NoScheduler and PreferNoScheduler are no effects', () => {
    expect(entry(['k:PreferNoSchedule'])).toMatchObject({ schedulable: true, preferNoScheduleCount: 1 });
    for (const effect of ['NoScheduler', 'PreferNoScheduler']) {
      expect(parseTaintAddition(`k:${effect}`).ok).toBe(false);
    }
  });

  it('T12: taints that are tolerated do not count, and the effects of the others decide', () => {
    const taints = ['key1=value1:NoSchedule', 'key1=value1:NoExecute', 'key2=value2:NoSchedule'];
    const both = ['NoSchedule', 'NoExecute'].map((effect) => tol({ key: 'key1', value: 'value1', effect }));
    expect(entry(taints, ...both)).toMatchObject({
      schedulable: false,
      firstUntolerated: taint('key2=value2:NoSchedule'),
      noExecute: 'stay',
    });
    expect(
      entry(['a:PreferNoSchedule', 'b:PreferNoSchedule'], tol({ key: 'a', operator: 'Exists' }))
        .preferNoScheduleCount,
    ).toBe(1);
  });

  it('T13: dedicated nodes and special hardware are taints like others', () => {
    const dedicated = taint('dedicated=groupName:NoSchedule');
    expect(tolerates(tol({ key: 'dedicated', value: 'groupName', effect: 'NoSchedule' }), dedicated)).toBe(
      true,
    );
    expect([taint('special=true:NoSchedule'), taint('special=true:PreferNoSchedule')]).toHaveLength(2);
  });
});

/** What is said of taints that the control plane puts on nodes. */
describe('taints of the state of a node', () => {
  const expected = (conditions: Readonly<Record<string, string>>, isUnschedulable = false) =>
    expectedTaints({
      conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })),
      isUnschedulable,
    }).map((one) => taintText(one).replace('node.kubernetes.io/', ''));

  it.each([
    ['Ready', 'False', ['not-ready:NoSchedule', 'not-ready:NoExecute']],
    ['Ready', 'Unknown', ['unreachable:NoSchedule', 'unreachable:NoExecute']],
    ['MemoryPressure', 'True', ['memory-pressure:NoSchedule']],
    ['DiskPressure', 'True', ['disk-pressure:NoSchedule']],
    ['PIDPressure', 'True', ['pid-pressure:NoSchedule']],
    ['NetworkUnavailable', 'True', ['network-unavailable:NoSchedule']],
  ])('T14, T19: %s %s', (type, status, taints) => {
    expect(expected({ [type]: status })).toEqual(taints);
  });

  it('T15: a node that is cordoned, as for draining it, gets NoSchedule and no NoExecute', () => {
    expect(expected({ Ready: 'True' }, true)).toEqual(['unschedulable:NoSchedule']);
  });

  it('T17: who tolerates an unreachable node for 6000 s stays that long', () => {
    const parts = { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' };
    const patient = tol({ ...parts, tolerationSeconds: 6000n });
    expect(entry(['node.kubernetes.io/unreachable:NoExecute'], patient).evictAfterSeconds).toBe(6000n);
    expect(withDefaultSeconds([patient])).toHaveLength(2);
  });

  it('T17: who says nothing of it stays 300 s, as admission adds', () => {
    const added = withDefaultSeconds([]);
    expect(keysOf(added)).toEqual(['not-ready:NoExecute', 'unreachable:NoExecute']);
    expect(added.map(({ tolerationSeconds }) => tolerationSeconds)).toEqual([300n, 300n]);
  });

  it('T18, T21: pods of a DaemonSet tolerate not-ready and unreachable for ever, pressure and cordon, and a missing network with the host’s', () => {
    const daemon = (hostNetwork: boolean) =>
      withAutomaticTolerations({ ...pod(), controllerKind: 'DaemonSet', hostNetwork }).tolerations;
    const always = [
      'not-ready:NoExecute',
      'unreachable:NoExecute',
      'disk-pressure:NoSchedule',
      'memory-pressure:NoSchedule',
      'pid-pressure:NoSchedule',
      'unschedulable:NoSchedule',
    ];
    expect(keysOf(daemon(false))).toEqual(always);
    expect(keysOf(daemon(true))).toEqual([...always, 'network-unavailable:NoSchedule']);
    expect(daemon(true).every(({ tolerationSeconds }) => tolerationSeconds === undefined)).toBe(true);
  });

  it('T20: a pod with requests does not tolerate memory pressure by that alone, since the plugin for it is off', () => {
    const burstable = podOf({
      spec: { containers: [{ name: 'c', resources: { requests: { memory: '1Mi' } } }] },
    });
    expect(keysOf(withAutomaticTolerations(burstable).tolerations)).not.toContain(
      'memory-pressure:NoSchedule',
    );
  });
});

describe('taints of devices', () => {
  it('T22: are of one device, and met by tolerations of the request, for all pods that share it', () => {
    const name = { driver: 'gpu', pool: 'p', device: 'a' };
    const hot = { key: 'hot', value: '', effect: 'NoExecute', timeAddedMs: 0 } as const;
    const users = ['a', 'b'].map((called) => ({
      ...podOf({ name: called, metadata: { uid: called }, spec: { nodeName: 'n' } }),
      tolerations: [tol({ operator: 'Exists' })],
    }));
    const claim = (tolerations: readonly Toleration[]) => ({
      namespace: 'default',
      name: 'claim',
      devices: [{ ...name, tolerations }],
      reservedFor: users.map(({ name: called, uid = '' }) => ({ name: called, uid })),
    });
    const outcomes = (tolerations: readonly Toleration[]) =>
      deviceReport(
        { devices: [{ ...name, nodeName: 'n', taints: [hot] }], rules: [], claims: [claim(tolerations)] },
        'n',
        users,
      ).devicePods.map(({ noExecute }) => noExecute);
    expect(outcomes([])).toEqual(['evict', 'evict']);
    expect(outcomes([tol({ key: 'hot', operator: 'Exists', effect: 'NoExecute' })])).toEqual([
      'stay',
      'stay',
    ]);
  });
});
