import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { DaemonSet } from 'kubernetes-models/apps/v1/DaemonSet';
import { ClusterRole } from 'kubernetes-models/rbac.authorization.k8s.io/v1/ClusterRole';
import { ClusterRoleBinding } from 'kubernetes-models/rbac.authorization.k8s.io/v1/ClusterRoleBinding';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readNodeQosFiles } from '../../agent/observe/configuration-files.ts';
import { readNodeQosConfiguration } from '../../config/nodeqos/read.ts';
import { unknownFields } from './api-fields.ts';
import { VERSION } from './built.ts';
import { type DaemonSetObject, onlyContainer, templateOf } from './daemonset.ts';
import { kubectl, kustomized, type RenderedObject } from './kubectl.ts';
import { lacking } from './tools.ts';

const KUSTOMIZE = 'systemd/kustomize';

const VALIDATED: Readonly<Record<string, new (value: never) => { validate(): void }>> = {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  DaemonSet,
  Namespace,
  ServiceAccount,
};

function lacksKubectl(): boolean {
  if (lacking('what kustomize makes', { busybox: 'busybox-static' })) return true;
  try {
    kubectl();
    return false;
  } catch (error) {
    if (process.env['CI'] === 'true') throw error;
    console.log('skipped: what kustomize makes; kubectl could not be fetched');
    return true;
  }
}

/** All verbs that roles give, as `resource verb`. */
function rights(objects: readonly RenderedObject[]): readonly string[] {
  const roles = objects.filter(({ kind }) => kind === 'ClusterRole') as unknown as readonly {
    readonly rules: readonly {
      readonly apiGroups: readonly string[];
      readonly resources: readonly string[];
      readonly verbs: readonly string[];
    }[];
  }[];
  return roles
    .flatMap(({ rules }) => rules)
    .flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) =>
          verbs.map((verb) => `${group === '' ? '' : `${group}/`}${resource} ${verb}`),
        ),
      ),
    )
    .sort();
}

function daemonSetOf(objects: readonly RenderedObject[]): DaemonSetObject {
  const found = objects.filter(({ kind }) => kind === 'DaemonSet');
  expect(found).toHaveLength(1);
  return found[0] as unknown as DaemonSetObject;
}

function configurationOf(objects: readonly RenderedObject[]): Readonly<Record<string, string>> {
  const map = objects.find(({ kind }) => kind === 'ConfigMap');
  return (map?.['data'] ?? {}) as Readonly<Record<string, string>>;
}

const READS_PODS = ['pods get', 'pods list', 'pods watch'];

describe.skipIf(lacksKubectl())('the manifests for a cluster', () => {
  let folder = '';
  const rendered = new Map<string, readonly RenderedObject[]>();
  const of = (name: string): readonly RenderedObject[] => rendered.get(name) ?? [];

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'nodeqos-kustomize-'));
    for (const name of ['dry-run', 'enforce', 'reset', 'podmonitor'])
      rendered.set(name, kustomized(`${KUSTOMIZE}/overlays/${name}`));
    // What somebody writes who wants all of it, with an image of his registry.
    const from = (path: string): string => relative(folder, resolve(KUSTOMIZE, path));
    const wanted = {
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: [from('overlays/enforce'), from('overlays/podmonitor')],
      components: [from('components/conditions'), from('components/kubelet')],
      images: [{ name: 'localhost/nodeqos', newName: 'registry.example/tools/nodeqos' }],
    };
    writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(wanted));
    rendered.set('everything', kustomized(folder));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(['dry-run', 'enforce', 'reset', 'everything'])('are as the schemas of the API say: %s', (name) => {
    for (const object of of(name)) {
      const Model = VALIDATED[object.kind];
      if (object.kind === 'PodMonitor') continue;
      if (Model === undefined) throw new Error(`nothing validates a ${object.kind}`);
      expect(() => {
        new Model(object as never).validate();
      }).not.toThrow();
      expect(unknownFields(object, `V1${object.kind}`)).toEqual([]);
    }
    expect(of(name).length).toBeGreaterThanOrEqual(6);
  });

  it('are held to schemas that would find a field of no kind and a field that does not exist', () => {
    const wrong = structuredClone(daemonSetOf(of('dry-run'))) as unknown as {
      spec: { template: { spec: Record<string, unknown> } };
    };
    wrong.spec.template.spec['hostPID'] = 'yes';
    wrong.spec.template.spec['hostPid'] = true;
    expect(() => {
      new DaemonSet(wrong as never).validate();
    }).toThrow('hostPID must be boolean');
    expect(unknownFields(wrong, 'V1DaemonSet')).toEqual(['.spec.template.spec.hostPid']);
  });

  it('lie in one namespace, for which they ask no more than hostPID and folders of the host take', () => {
    for (const object of of('everything')) {
      const isOfCluster = ['Namespace', 'ClusterRole', 'ClusterRoleBinding'].includes(object.kind);
      expect([object.kind, object.metadata.namespace]).toEqual([
        object.kind,
        isOfCluster ? undefined : 'nodeqos',
      ]);
    }
  });

  it.each(['dry-run', 'enforce', 'reset'])('give no container more than it needs: %s', (name) => {
    const { spec } = templateOf(daemonSetOf(of(name)));
    expect(spec.hostPID).toBe(true);
    expect([spec['hostNetwork'], spec['hostIPC']]).toEqual([undefined, undefined]);
    expect(spec.securityContext).toEqual({ seccompProfile: { type: 'RuntimeDefault' } });
    for (const container of [...spec.containers, ...(spec.initContainers ?? [])]) {
      expect(container.securityContext).toEqual({
        privileged: false,
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        runAsUser: 0,
        runAsGroup: 0,
        capabilities: { drop: ['ALL'], ...(container.name === 'nodeqos' ? { add: ['SYS_RESOURCE'] } : {}) },
      });
      expect(container.image).toBe(`localhost/nodeqos:${VERSION}`);
    }
  });

  it.each([
    ['dry-run', ['/var/lib/nodeqos']],
    ['enforce', ['/host/sys/fs/cgroup', '/var/lib/nodeqos']],
    ['reset', ['/var/lib/nodeqos']],
  ])('mount everything read-only but the state, and cgroups where they are written: %s', (name, writable) => {
    const { volumeMounts } = onlyContainer(daemonSetOf(of(name)));
    const found = volumeMounts.filter(({ readOnly }) => readOnly !== true).map(({ mountPath }) => mountPath);
    expect(found.sort()).toEqual(writable);
  });

  it('take these folders and files of the host and no others', () => {
    const paths = templateOf(daemonSetOf(of('everything'))).spec.volumes.flatMap(({ hostPath }) =>
      hostPath === undefined ? [] : [`${hostPath.path} ${hostPath.type}`],
    );
    expect(paths).toEqual([
      '/sys/fs/cgroup Directory',
      '/var/lib/kubelet/config.yaml File',
      '/var/lib/kubelet/plugins/nodeqos.dev DirectoryOrCreate',
      '/var/lib/nodeqos DirectoryOrCreate',
    ]);
  });

  it.each<[string, readonly string[]]>([
    ['dry-run', READS_PODS],
    ['reset', READS_PODS],
    ['enforce', ['events create', 'events patch', 'pods delete', 'pods/eviction create', ...READS_PODS]],
    ['podmonitor', []],
    [
      'everything',
      [
        ...[
          'events create',
          'events patch',
          'nodes get',
          'nodes patch',
          'nodes/stats get',
          'nodes/status patch',
        ],
        ...['pods delete', 'pods/eviction create', ...READS_PODS],
      ],
    ],
  ])('give the account these rights and no others: %s', (name, wanted) => {
    expect(rights(of(name))).toEqual([...wanted].sort());
    for (const { kind, ...object } of of(name).filter((one) => one.kind === 'ClusterRoleBinding'))
      expect([kind, object['subjects']]).toEqual([
        kind,
        [{ kind: 'ServiceAccount', name: 'nodeqos', namespace: 'nodeqos' }],
      ]);
  });

  it('put the agent on every node, before all others, and keep it there', () => {
    const daemonSet = daemonSetOf(of('enforce'));
    const { spec } = templateOf(daemonSet);
    expect(spec).toMatchObject({
      priorityClassName: 'system-node-critical',
      tolerations: [{ operator: 'Exists' }],
      nodeSelector: { 'kubernetes.io/os': 'linux' },
      serviceAccountName: 'nodeqos',
    });
    expect(daemonSet.spec.updateStrategy).toEqual({
      type: 'RollingUpdate',
      rollingUpdate: { maxSurge: 0, maxUnavailable: '10%' },
    });
    expect(onlyContainer(daemonSet).resources).toEqual({
      requests: { cpu: '50m', memory: '256Mi' },
      limits: { memory: '256Mi' },
    });
  });

  it('ask and scrape it at the port that it listens at', () => {
    const container = onlyContainer(daemonSetOf(of('dry-run')));
    expect(container.ports).toEqual([{ name: 'metrics', containerPort: 9477 }]);
    expect(container.livenessProbe).toMatchObject({ httpGet: { path: '/healthz', port: 'metrics' } });
    expect(container.readinessProbe).toMatchObject({ httpGet: { path: '/readyz', port: 'metrics' } });
    expect(configurationOf(of('dry-run'))['10-cluster.yaml']).toContain('\nlisten: 0.0.0.0:9477\n');
    const [monitor] = of('podmonitor');
    expect(monitor).toMatchObject({
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PodMonitor',
      spec: { podMetricsEndpoints: [{ port: 'metrics', path: '/metrics' }] },
    });
  });

  it.each([
    ['dry-run', 'dry-run'],
    ['enforce', 'enforce'],
    ['reset', 'dry-run'],
    ['everything', 'enforce'],
  ])('give it a configuration that it takes, and the mode that the name says: %s', (name, mode) => {
    const place = mkdtempSync(join(folder, 'configuration-'));
    writeFileSync(join(place, 'nodeqos.yaml'), readFileSync('config/nodeqos/nodeqos.yaml'));
    // As the kubelet lays out a volume of a ConfigMap: links, so that all changes at once.
    const dropIns = join(place, 'nodeqos.yaml.d');
    mkdirSync(join(dropIns, '..2026_11_30_09_00_00'), { recursive: true });
    symlinkSync('..2026_11_30_09_00_00', join(dropIns, '..data'));
    for (const [key, text] of Object.entries(configurationOf(of(name)))) {
      writeFileSync(join(dropIns, '..2026_11_30_09_00_00', key), text);
      symlinkSync(`..data/${key}`, join(dropIns, key));
    }
    const { main, dropIns: found } = readNodeQosFiles({ config: join(place, 'nodeqos.yaml') });
    const { errors, warnings, settings } = readNodeQosConfiguration(main, found);
    expect([errors, warnings]).toEqual([[], []]);
    expect(settings).toMatchObject({
      mode,
      pods: { source: 'api' },
      listen: '0.0.0.0:9477',
      memoryQos: { onStop: 'keep' },
      api: { events: true, conditions: name === 'everything', taints: name === 'everything' },
      eviction: { alongsideKubelet: 'observe' },
    });
  });

  it('run it with options that it has, on the cgroups of the host', () => {
    expect(onlyContainer(daemonSetOf(of('everything'))).args).toEqual([
      'run',
      '--node-name=$(NODE_NAME)',
      '--cgroup-root=/host/sys/fs/cgroup',
      '--kubelet-config=/host/var/lib/kubelet/config.yaml',
      '--stats=kubelet:https://$(NODE_IP):10250',
    ]);
    const [reset] = templateOf(daemonSetOf(of('reset'))).spec.initContainers ?? [];
    expect(reset?.args).toEqual([
      'reset',
      '--cgroup-root=/host/sys/fs/cgroup',
      '--kubelet-config=/host/var/lib/kubelet/config.yaml',
    ]);
    expect(
      reset?.volumeMounts.filter(({ readOnly }) => readOnly !== true).map(({ mountPath }) => mountPath),
    ).toEqual(['/host/sys/fs/cgroup', '/var/lib/nodeqos']);
  });

  it('are removed whole by what the README says: reset first, then the deletion of what was applied', () => {
    const removal = /- \*\*To remove it\*\*, (.*?)\n- /s.exec(readFileSync('README.md', 'utf8'))?.[1];
    expect(removal).toMatch(
      /apply `overlays\/reset` .*`kubectl delete -k` the kustomization that you had applied/s,
    );
    // What is in the namespace goes with it.
    const ofCluster = (name: string) =>
      of(name)
        .filter(({ metadata }) => metadata.namespace === undefined)
        .map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    const deleted = new Set(ofCluster('everything'));
    expect(deleted).toContain('Namespace nodeqos');
    expect([...ofCluster('reset'), ...ofCluster('enforce')].filter((one) => !deleted.has(one))).toEqual([]);
    expect(ofCluster('enforce').filter((one) => !ofCluster('reset').includes(one))).toContain(
      'ClusterRoleBinding nodeqos-evictor',
    );
  });

  it('take an image from another registry', () => {
    expect(onlyContainer(daemonSetOf(of('everything'))).image).toBe(
      `registry.example/tools/nodeqos:${VERSION}`,
    );
  });

  it('are what kubectl itself reads without a word', () => {
    const text = execFileSync(kubectl(), ['kustomize', `${KUSTOMIZE}/overlays/enforce`], {
      encoding: 'utf8',
    });
    expect(text).toMatch(/^apiVersion: v1\nkind: Namespace\n/);
  });
});
