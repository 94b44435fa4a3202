import { describe, expect, it } from 'vitest';
import { Failure } from '../../../../agent/exit.ts';
import { readDeviceTexts } from '../../../../agent/observe/devices/read-devices.ts';

const read = (...objects: readonly object[]) =>
  readDeviceTexts([{ file: 'd.json', text: JSON.stringify({ kind: 'List', items: objects }) }]);
const slice = (spec: object) => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceSlice',
  spec: { driver: 'gpu', pool: { name: 'p', generation: 1 }, ...spec },
});
const rule = (spec: object) => ({
  apiVersion: 'resource.k8s.io/v1beta2',
  kind: 'DeviceTaintRule',
  metadata: { name: 'r' },
  spec: { taint: { key: 'k', effect: 'NoSchedule' }, ...spec },
});
const claim = (more: object) => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaim',
  metadata: { name: 'c' },
  ...more,
});
const deviceNames = (...objects: readonly object[]) =>
  read(...objects).snapshot.devices.map(({ device }) => device);

describe('devices of a snapshot', () => {
  it('come from slices, with the node of the slice or their own', () => {
    const taints = [{ key: 'hot', value: 'v', effect: 'NoExecute', timeAdded: '2026-03-01T10:00:00Z' }];
    const { snapshot, warnings } = read(
      slice({
        nodeName: 'n1',
        devices: [
          { name: 'a', taints },
          { name: 'b', taints: [{ key: 'x', effect: 'Odd' }] },
        ],
      }),
      slice({
        pool: { name: 'q' },
        devices: [
          { name: 'c', nodeName: 'n2' },
          { name: 'd', basic: { taints } },
        ],
      }),
    );
    const hot = { key: 'hot', value: 'v', effect: 'NoExecute', timeAddedMs: 1_772_359_200_000 };
    expect(warnings).toEqual([]);
    expect(snapshot).toEqual({
      devices: [
        { driver: 'gpu', pool: 'p', device: 'a', nodeName: 'n1', taints: [hot] },
        {
          driver: 'gpu',
          pool: 'p',
          device: 'b',
          nodeName: 'n1',
          taints: [{ key: 'x', value: '', effect: 'None' }],
        },
        { driver: 'gpu', pool: 'q', device: 'c', nodeName: 'n2', taints: [] },
        { driver: 'gpu', pool: 'q', device: 'd', taints: [hot] },
      ],
      rules: [],
      claims: [],
    });
  });
  it('are those of the newest generation of their pool', () => {
    const of = (name: string, generation: number | undefined, driver = 'gpu') =>
      slice({
        driver,
        pool: { name: 'p', ...(generation === undefined ? {} : { generation }) },
        devices: [{ name }],
      });
    expect(deviceNames(of('old', 1), of('new', 2), of('older', 0), of('too', 2))).toEqual(['new', 'too']);
    expect(deviceNames(of('a', undefined), of('b', 0), of('c', 7, 'nic'))).toEqual(['a', 'b', 'c']);
  });
});

describe('rules of a snapshot', () => {
  const rules = (spec: object) => read(rule(spec)).snapshot.rules;
  const R = { name: 'r', taint: { key: 'k', value: '', effect: 'NoSchedule' } };
  it.each<[string, object, object]>([
    ['vX9: without a selector', {}, R],
    ['vX9: with an empty selector', { deviceSelector: {} }, { ...R, selector: {} }],
    [
      'with all parts',
      { deviceSelector: { driver: 'gpu', pool: 'p', device: 'd', deviceClassName: null } },
      { ...R, selector: { driver: 'gpu', pool: 'p', device: 'd' } },
    ],
    ['with one part', { deviceSelector: { pool: 'p' } }, { ...R, selector: { pool: 'p' } }],
  ])('%s', (_what, spec, expected) => {
    expect(rules(spec)).toEqual([expected]);
  });
  it('one that selects by something else is left out with a warning', () => {
    const { snapshot, warnings } = read(rule({ deviceSelector: { pool: 'p', deviceClassName: 'x' } }));
    expect(snapshot.rules).toEqual([]);
    expect(warnings.map(({ code, message }) => [code, message])).toEqual([
      [
        'device-rule-left-out',
        'DeviceTaintRule r selects by more than driver, pool and device, so it is left out',
      ],
      [
        'no-devices',
        'd.json: no ResourceSlice, ResourceClaim or DeviceTaintRule found; they are printed by: kubectl get resourceslices,resourceclaims,devicetaintrules -A -o yaml',
      ],
    ]);
  });
});

describe('claims of a snapshot', () => {
  it('hold devices with tolerations, and are reserved for pods', () => {
    const results = [
      {
        request: 'r',
        driver: 'gpu',
        pool: 'p',
        device: 'a',
        tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }, {}],
      },
      { request: 'r', driver: 'gpu', pool: 'p', device: 'b' },
    ];
    const reservedFor = [
      { resource: 'pods', name: 'web', uid: 'u' },
      { resource: 'pods', name: 'bare' },
      { resource: 'jobs', apiGroup: 'x', name: 'other', uid: 'v' },
    ];
    const { claims } = read(
      claim({ status: { allocation: { devices: { results } }, reservedFor } }),
      claim({ metadata: { namespace: 'ns', name: 'new' } }),
    ).snapshot;
    expect(claims).toEqual([
      {
        namespace: 'default',
        name: 'c',
        devices: [
          {
            driver: 'gpu',
            pool: 'p',
            device: 'a',
            tolerations: [
              { key: 'k', operator: 'Exists', value: '', effect: 'NoExecute', tolerationSeconds: 5n },
              { key: '', operator: 'Equal', value: '', effect: '' },
            ],
          },
          { driver: 'gpu', pool: 'p', device: 'b', tolerations: [] },
        ],
        reservedFor: [
          { name: 'web', uid: 'u' },
          { name: 'bare', uid: '' },
        ],
      },
      { namespace: 'ns', name: 'new', devices: [], reservedFor: [] },
    ]);
  });
});

describe('a snapshot for devices', () => {
  it('may hold other things, also of the same kind in another group', () => {
    const { snapshot, warnings } = read(
      { apiVersion: 'v1', kind: 'Node', metadata: {} },
      { apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass' },
      { ...claim({}), apiVersion: 'other.io/v1', metadata: {} },
      claim({}),
    );
    expect([snapshot.claims.length, warnings]).toEqual([1, []]);
  });
  it.each<[string, object, string]>([
    [
      'vX10: PreferNoSchedule',
      rule({ taint: { key: 'k', effect: 'PreferNoSchedule' } }),
      'items[0].spec.taint.effect: PreferNoSchedule is not for devices; there are None, NoSchedule and NoExecute',
    ],
    [
      'a taint without an effect',
      rule({ taint: { key: 'k' } }),
      'items[0].spec.taint.effect: no effect is not for devices; there are None, NoSchedule and NoExecute',
    ],
    [
      'a taint without a key',
      rule({ taint: { effect: 'None' } }),
      'items[0].spec.taint.key: a key is missing',
    ],
    [
      'a time that is none',
      slice({ devices: [{ name: 'a', taints: [{ key: 'k', effect: 'None', timeAdded: 'noon' }] }] }),
      'items[0].spec.devices[0].taints[0].timeAdded: "noon" is not a time such as 2026-03-01T10:00:00Z',
    ],
    ['a device without a name', slice({ devices: [{}] }), 'items[0].spec.devices[0].name: a name is missing'],
    ['a slice without a driver', slice({ driver: null }), 'items[0].spec.driver: a driver is missing'],
    ['a pool without a name', slice({ pool: {} }), 'items[0].spec.pool.name: a name is missing'],
    ['a claim without a name', claim({ metadata: {} }), 'items[0].metadata.name: a name is missing'],
    ['a rule without a name', { ...rule({}), metadata: {} }, 'items[0].metadata.name: a name is missing'],
  ])('%s is refused: 65', (_what, object, sentence) => {
    const attempt = () => read(object);
    expect(attempt).toThrow(Failure);
    expect(attempt).toThrow(
      new RegExp(`^d\\.json:1:\\d+: ${sentence.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`),
    );
  });
  it('a text that is none is refused: 65', () => {
    expect(() => readDeviceTexts([{ file: 'd.yaml', text: 'a: [' }])).toThrow(/^d\.yaml:1/);
  });
});
