import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runProgram } from '../../../../agent/cli/program.ts';
import type { DoctorCheck } from '../../../../agent/decide/doctor/check.ts';
import { NodeFolder } from '../../../fakes/node-folder.ts';
import { RecordingIo } from '../../../fakes/recording-io.ts';

const OWN = 'apiVersion: nodeqos.dev/v1alpha1\nkind: NodeQosConfiguration\n';

let node: NodeFolder;

beforeEach(() => {
  node = new NodeFolder({ 'kubepods/cgroup.controllers': 'cpu memory\n' });
  node.write({ 'srv/pods.yaml': 'kind: List\nitems: []\n', 'srv/token': 'secret', 'srv/config': '{}' });
});

afterEach(() => {
  node.remove();
});

async function told(id: string, yaml: string): Promise<string> {
  node.write({ 'etc/nodeqos/nodeqos.yaml': OWN + yaml });
  const io = new RecordingIo();
  const status = await runProgram(['doctor', '--root', node.root, '-o', 'json'], io);
  const { checks } = JSON.parse(io.stdout) as { readonly checks: readonly DoctorCheck[] };
  const check = checks.find((one) => one.id === id);
  return `${status} ${check?.state}: ${check?.found}`.replaceAll(node.root, 'NODE');
}

describe('the sources of a node', () => {
  it.each([
    ['pods: {source: "file:/srv/pods.yaml"}', '0 ok: file:NODE/srv/pods.yaml'],
    ['pods: {source: "file:/srv/none.yaml"}', '69 missing: NODE/srv/none.yaml is not there'],
    ['pods: {source: "file:/srv"}', '69 missing: NODE/srv is a folder'],
    ['pods: {source: "dir:/srv"}', '0 ok: dir:NODE/srv'],
    ['pods: {source: "dir:/srv/"}', '0 ok: dir:NODE/srv/'],
    ['pods: {source: "dir:/none"}', '69 missing: NODE/none is not there'],
    ['pods: {source: "dir:/srv/token"}', '69 missing: NODE/srv/token is no folder that can be listed'],
    ['pods: {source: "cri:/nowhere/c.sock"}', '69 missing: /nowhere/c.sock is no socket that can be seen'],
    [
      'pods: {source: "kubelet:http://127.0.0.1"}\neviction: {evictor: cgroup}',
      '0 ok: kubelet:http://127.0.0.1:10255; it was not asked',
    ],
    [
      'pods: {source: "kubelet:https://127.0.0.1"}\nkubelet: {tokenFile: /srv/token}\neviction: {evictor: cgroup}',
      '0 ok: kubelet:https://127.0.0.1:10250; it was not asked',
    ],
    [
      'pods: {source: "kubelet:https://127.0.0.1"}\nkubelet: {tokenFile: /srv/none}',
      '69 missing: kubelet:https://127.0.0.1:10250 needs credentials, and /srv/none is not there',
    ],
    [
      'pods: {source: api}\napi: {kubeconfig: /srv/config}',
      '0 ok: api, by NODE/srv/config; it was not asked',
    ],
    [
      'pods: {source: api}\napi: {kubeconfig: /srv/none}',
      '69 missing: api: NODE/srv/none cannot be read (ENOENT)',
    ],
    ['pods: {source: api}', '69 missing: api: no kubeconfig is named, and this is no pod of a cluster'],
  ])('%s', async (yaml, expected) => {
    expect(await told('pods-source', yaml)).toBe(expected);
  });

  it('auto takes the static pods, if there are any', async () => {
    expect(await told('pods-source', '')).toBe(
      '0 warning: auto: nothing is there that tells which pods run here',
    );
    node.write({
      'k8s/a.yaml': 'kind: Pod\n',
      'var/lib/kubelet/config.yaml':
        'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nstaticPodPath: /k8s\n',
    });
    expect(await told('pods-source', '')).toBe('0 ok: auto: static pods of NODE/k8s');
  });

  it.each([
    ['', '0 ok: the cgroup tree'],
    ['stats: {source: "summary:/srv/token"}', '0 ok: file:NODE/srv/token'],
    ['stats: {source: "summary:/srv/none"}', '69 missing: NODE/srv/none is not there'],
    ['stats: {source: "kubelet:http://127.0.0.1"}', '0 ok: kubelet:http://127.0.0.1:10255; it was not asked'],
  ])('usage: %s', async (yaml, expected) => {
    expect(await told('stats-source', yaml)).toBe(expected);
  });

  it('an evictor with nobody to ask is lacking, and nothing else', async () => {
    expect(await told('evictor', 'eviction: {evictor: cri}')).toMatch(
      /^69 missing: the evictor cri has nobody/,
    );
    expect(await told('evictor', 'eviction: {evictor: api}')).toMatch(
      /^69 missing: the evictor api has nobody/,
    );
    expect(await told('evictor', 'eviction: {evictor: cgroup}')).toBe('0 ok: cgroup');
  });
});
