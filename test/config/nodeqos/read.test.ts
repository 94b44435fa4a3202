import { describe, expect, it } from 'vitest';
import { type NodeQosReading, readNodeQosConfiguration } from '../../../config/nodeqos/read.ts';
import { lines } from '../text/documents.ts';
import { NODEQOS } from './cases.ts';

const HEAD = 'apiVersion: nodeqos.dev/v1alpha1\nkind: NodeQosConfiguration\n';

function read(main: string, ...dropIns: readonly string[]): NodeQosReading {
  return readNodeQosConfiguration(
    { file: 'main', text: `${HEAD}${main}` },
    dropIns.map((text, index) => ({ file: `${index}.yaml`, text })),
  );
}

describe('findings in nodeqos.yaml', () => {
  it.each(Object.entries(NODEQOS))('%s', (_case, [text, errors, warnings]) => {
    const reading = readNodeQosConfiguration({ file: 'f', text: `${HEAD}${text}` }, []);
    expect(lines(reading.errors)).toEqual(errors);
    expect(lines(reading.warnings)).toEqual(warnings);
    expect(reading.settings === undefined).toBe(errors.length > 0);
  });

  it('stands at the interval where the lowest one is the default', () => {
    expect(lines(read('loop: {interval: 99ms}').errors)).toEqual([
      'main:3:8: loop.minInterval: must not be longer than loop.interval; lower this or raise that',
    ]);
  });
});

describe('readNodeQosConfiguration', () => {
  it('gives all defaults without any file', () => {
    expect(readNodeQosConfiguration(undefined, [])).toEqual({
      errors: [],
      warnings: [],
      settings: {
        mode: 'dry-run',
        kubeletConfiguration: { file: '/var/lib/kubelet/config.yaml' },
        pods: { source: 'auto', maxAgeMs: 300_000 },
        stats: { source: 'cgroup' },
        kubelet: { deadlineMs: 5000 },
        api: { events: true, conditions: false, taints: false, deadlineMs: 10_000 },
        runtime: { deadlineMs: 10_000 },
        memoryQos: {
          enabled: true,
          protection: 'kubelet',
          headroom: 0.1,
          writer: 'auto',
          maxWritesPerTick: 64,
          onStop: 'keep',
        },
        eviction: {
          enabled: true,
          alongsideKubelet: 'observe',
          evictor: 'auto',
          budgetRefused: 'pass-over',
          unmeasured: 'skip',
          groups: 'ignore',
          protected: { namespaces: [], labels: new Map() },
          backOffMs: 60_000,
        },
        taints: { evict: false, extra: [] },
        loop: { intervalMs: 1000, minIntervalMs: 100 },
        listen: '127.0.0.1:9477',
        stateDir: '/var/lib/nodeqos',
        audit: { maxBytes: 64n * 1024n * 1024n, keep: 4 },
        trace: { enabled: false, maxBytes: 256n * 1024n * 1024n },
        log: { level: 'info' },
      },
    });
  });

  it('reads every key', () => {
    const { settings, errors } = read(
      [
        'mode: enforce',
        'kubeletConfiguration: {file: /a, dropInDir: /b}',
        'pods: {source: "kubelet:https://localhost:10250", maxAge: 1m}',
        'stats: {source: "summary:/s"}',
        'kubelet: {tokenFile: /t, caFile: /ca, clientCertificateFile: /c, clientKeyFile: /k, serverName: node-1, deadline: 1s}',
        'api: {kubeconfig: /kc, events: false, conditions: true, taints: true, deadline: 2s}',
        'runtime: {endpoint: /r.sock, deadline: 3s}',
        'memoryQos: {enabled: false, throttlingFactor: 0.8, reservationPolicy: TieredReservation, protection: safe, headroom: 5%, writer: systemd, maxWritesPerTick: 5, onStop: reset}',
        'eviction:',
        '  enabled: false',
        '  thresholds: {hard: {memory.available: 1Gi}, soft: {memory.available: 2Gi}, softGracePeriod: {memory.available: 1m}, minimumReclaim: {memory.available: 1Mi}}',
        '  pressureTransitionPeriod: 0s',
        '  maxPodGracePeriodSeconds: -1',
        '  alongsideKubelet: act',
        '  evictor: api',
        '  budgetRefused: delete',
        '  unmeasured: evict',
        '  groups: count',
        '  protected: {namespaces: [kube-system], labels: {a: b}, priorityAtLeast: 5}',
        '  backOff: 0s',
        'taints: {evict: false, node: /n, extra: ["a=b:NoExecute", "c:NoExecute"]}',
        'loop: {interval: 2s, minInterval: 1s}',
        'listen: "unix:/run/nodeqos.sock"',
        'stateDir: /state',
        'audit: {file: /audit, maxBytes: 1024, keep: 1}',
        'trace: {enabled: true, maxBytes: 1Ki}',
        'log: {level: debug}',
      ].join('\n'),
    );
    expect(errors).toEqual([]);
    const reclaim = { quantity: 1048576n };
    const copy = { signal: 'allocatableMemory.available', type: 'hard', value: { quantity: 1073741824n } };
    expect(settings).toEqual({
      mode: 'enforce',
      kubeletConfiguration: { file: '/a', dropInDir: '/b' },
      pods: { source: 'kubelet:https://localhost:10250', maxAgeMs: 60_000 },
      stats: { source: 'summary:/s' },
      kubelet: {
        tokenFile: '/t',
        caFile: '/ca',
        clientCertificateFile: '/c',
        clientKeyFile: '/k',
        serverName: 'node-1',
        deadlineMs: 1000,
      },
      api: { kubeconfig: '/kc', events: false, conditions: true, taints: true, deadlineMs: 2000 },
      runtime: { endpoint: '/r.sock', deadlineMs: 3000 },
      memoryQos: {
        enabled: false,
        throttlingFactor: 0.8,
        reservationPolicy: 'TieredReservation',
        protection: 'safe',
        headroom: 0.05,
        writer: 'systemd',
        maxWritesPerTick: 5,
        onStop: 'reset',
      },
      eviction: {
        enabled: false,
        thresholds: [
          {
            ...copy,
            id: 'allocatableMemory.available hard 1Gi',
            gracePeriodMs: 0,
            minReclaim: reclaim,
            derived: true,
          },
          {
            id: 'memory.available hard 1Gi',
            signal: 'memory.available',
            type: 'hard',
            value: { quantity: 1073741824n },
            gracePeriodMs: 0,
            minReclaim: reclaim,
            derived: false,
          },
          {
            id: 'memory.available soft 2Gi',
            signal: 'memory.available',
            type: 'soft',
            value: { quantity: 2147483648n },
            gracePeriodMs: 60_000,
            minReclaim: reclaim,
            derived: false,
          },
        ],
        pressureTransitionPeriodMs: 0,
        maxPodGracePeriodSeconds: -1,
        alongsideKubelet: 'act',
        evictor: 'api',
        budgetRefused: 'delete',
        unmeasured: 'evict',
        groups: 'count',
        protected: { namespaces: ['kube-system'], labels: new Map([['a', 'b']]), priorityAtLeast: 5 },
        backOffMs: 0,
      },
      taints: {
        evict: false,
        node: '/n',
        extra: [
          { key: 'a', value: 'b', effect: 'NoExecute' },
          { key: 'c', value: '', effect: 'NoExecute' },
        ],
      },
      loop: { intervalMs: 2000, minIntervalMs: 1000 },
      listen: 'unix:/run/nodeqos.sock',
      stateDir: '/state',
      audit: { file: '/audit', maxBytes: 1024n, keep: 1 },
      trace: { enabled: true, maxBytes: 1024n },
      log: { level: 'debug' },
    });
  });

  it.each(['none', ':9477', '0.0.0.0:1', '[::1]:9477', 'unix:/a', 'localhost:80'])(
    'listens at %s',
    (listen) => {
      expect(read(`listen: "${listen}"`).settings?.listen).toBe(listen);
    },
  );

  it.each(['api', 'file:/a', 'dir:/a', 'cri:/run/x.sock', '/a', './a'])('takes pods from %s', (source) => {
    expect(read(`pods: {source: "${source}"}`).settings?.pods.source).toBe(source);
  });

  it('merges drop-ins in order: maps by key, lists whole, null deletes', () => {
    const { settings, errors } = read(
      'mode: enforce\nloop: {interval: 5s}\neviction: {protected: {namespaces: [a, b], labels: {x: y}}}',
      'loop: {minInterval: 1s}\neviction: {protected: {namespaces: [c]}}\nlisten: none',
      `${HEAD}mode: ~\neviction: {protected: {labels: {x: ~, z: w}}}`,
    );
    expect(errors).toEqual([]);
    expect(settings?.mode).toBe('dry-run');
    expect(settings?.loop).toEqual({ intervalMs: 5000, minIntervalMs: 1000 });
    expect(settings?.eviction.protected).toEqual({ namespaces: ['c'], labels: new Map([['z', 'w']]) });
    expect(settings?.listen).toBe('none');
  });

  it('blames the file that says it, in the order of the files', () => {
    const reading = read('mode: x\nlog: {level: y}', 'log: {level: z}\nfoo: 1', 'apiVersion: v1', 'pods: [');
    expect(lines(reading.errors)).toEqual([
      'main:3:1: mode: got a string "x"; write dry-run or enforce',
      '0.yaml:1:7: log.level: got a string "z"; write error or warn or info or debug',
      '0.yaml:2:1: foo: unknown key; correct its name or remove it',
      '1.yaml:1:1: apiVersion: is "v1"; write nodeqos.dev/v1alpha1',
      '2.yaml:1:8: is not YAML: Flow sequence in block collection must be sufficiently indented and end with a ]; mend this line or the one before it',
    ]);
    expect(reading.settings).toBeUndefined();
  });

  it('needs apiVersion and kind in the main file', () => {
    expect(lines(readNodeQosConfiguration({ file: 'f', text: 'mode: enforce' }, []).errors)).toEqual([
      'f: apiVersion: is missing; write nodeqos.dev/v1alpha1',
      'f: kind: is missing; write NodeQosConfiguration',
    ]);
  });
});
