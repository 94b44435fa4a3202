import { describe, expect, it } from 'vitest';
import { type FactsChange, toldOf } from '../../../fakes/doctor-facts.ts';

const CONTAINERD = {
  path: '/run/containerd/containerd.sock',
  runtime: 'containerd',
  from: 'usual-place',
} as const;
const STATED = { path: '/run/x.sock', runtime: 'a runtime', from: 'KubeletConfiguration' } as const;

describe('the container runtime', () => {
  it.each<[string, string, FactsChange, string]>([
    ['the usual one', 'runtime-socket', {}, 'ok: containerd at /run/containerd/containerd.sock'],
    [
      'two',
      'runtime-socket',
      {
        runtime: {
          sockets: [
            { ...CONTAINERD, state: 'open' },
            { path: '/a', runtime: 'a', from: 'usual-place', state: 'denied' },
            { path: '/b', runtime: 'b', from: 'usual-place', state: 'no-socket' },
            { path: '/c', runtime: 'c', from: 'usual-place', state: 'open' },
          ],
        },
      },
      'ok: containerd at /run/containerd/containerd.sock; also /a, /c',
    ],
    [
      'none',
      'runtime-socket',
      { runtime: { sockets: [{ ...CONTAINERD, state: 'missing' }] } },
      'missing: no socket at the places of containerd, CRI-O, cri-dockerd, k3s and microk8s | pods cannot come from the runtime (pods.source: cri:SOCKET), nor be ended through it (eviction.evictor: cri) | start the runtime, or set runtime.endpoint in nodeqos.yaml; without a runtime nothing is lost',
    ],
    [
      'what is no socket is none',
      'runtime-socket',
      { runtime: { sockets: [{ ...CONTAINERD, state: 'no-socket' }] } },
      'missing: no socket at the places of containerd, CRI-O, cri-dockerd, k3s and microk8s | pods cannot come from the runtime (pods.source: cri:SOCKET), nor be ended through it (eviction.evictor: cri) | start the runtime, or set runtime.endpoint in nodeqos.yaml; without a runtime nothing is lost',
    ],
    [
      'one that the kubelet names goes before one that is there',
      'runtime-socket',
      {
        runtime: {
          sockets: [
            { ...CONTAINERD, state: 'open' },
            { ...STATED, state: 'open' },
          ],
        },
      },
      'ok: a runtime at /run/x.sock; also /run/containerd/containerd.sock',
    ],
    [
      'one that nodeqos.yaml names goes before all',
      'runtime-socket',
      {
        runtime: {
          sockets: [
            { ...STATED, state: 'open' },
            { ...STATED, path: '/own', from: 'nodeqos.yaml', state: 'denied' },
          ],
        },
      },
      'ok: a runtime at /own; also /run/x.sock',
    ],
    [
      'one that is named and not there',
      'runtime-socket',
      { runtime: { sockets: [{ ...STATED, state: 'missing' }] } },
      'missing: /run/x.sock, which KubeletConfiguration names, is not there | pods cannot come from the runtime (pods.source: cri:SOCKET), nor be ended through it (eviction.evictor: cri) | start the runtime, or set runtime.endpoint in nodeqos.yaml to where it listens',
    ],
    [
      'one that is named and is no socket',
      'runtime-socket',
      { runtime: { sockets: [{ ...STATED, from: 'nodeqos.yaml', state: 'no-socket' }] } },
      'missing: /run/x.sock, which nodeqos.yaml names, is no socket | pods cannot come from the runtime (pods.source: cri:SOCKET), nor be ended through it (eviction.evictor: cri) | start the runtime, or set runtime.endpoint in nodeqos.yaml to where it listens',
    ],
    [
      'one of a node elsewhere',
      'runtime-socket',
      { runtime: { sockets: undefined } },
      'not-known: only the node itself tells | pods cannot come from the runtime (pods.source: cri:SOCKET), nor be ended through it (eviction.evictor: cri) | run the doctor on the node',
    ],
    ['access', 'runtime-access', {}, 'ok: yes; what answers there was not asked'],
    [
      'access that is denied',
      'runtime-access',
      { runtime: { sockets: [{ ...CONTAINERD, state: 'denied' }] } },
      'warning: this user may not open /run/containerd/containerd.sock | pods cannot come from the runtime (pods.source: cri:SOCKET), nor be ended through it (eviction.evictor: cri) | run as root, or as a user of the group that owns the socket, or with CAP_DAC_OVERRIDE',
    ],
    [
      'access to none',
      'runtime-access',
      { runtime: { sockets: [] } },
      'missing: there is none | pods cannot come from the runtime (pods.source: cri:SOCKET), nor be ended through it (eviction.evictor: cri) | start the runtime, or set runtime.endpoint in nodeqos.yaml',
    ],
    [
      'access to what is named and not there',
      'runtime-access',
      { runtime: { sockets: [{ ...STATED, state: 'missing' }] } },
      'missing: there is none | pods cannot come from the runtime (pods.source: cri:SOCKET), nor be ended through it (eviction.evictor: cri) | start the runtime, or set runtime.endpoint in nodeqos.yaml',
    ],
    [
      'access to what is no socket',
      'runtime-access',
      { runtime: { sockets: [{ ...STATED, state: 'no-socket' }] } },
      'missing: there is none | pods cannot come from the runtime (pods.source: cri:SOCKET), nor be ended through it (eviction.evictor: cri) | start the runtime, or set runtime.endpoint in nodeqos.yaml',
    ],
    [
      'access on a node elsewhere',
      'runtime-access',
      { runtime: { sockets: undefined } },
      'not-known: only the node itself tells | pods cannot come from the runtime (pods.source: cri:SOCKET), nor be ended through it (eviction.evictor: cri) | run the doctor on the node',
    ],
  ])('%s', (_sentence, id, change, told) => {
    expect(toldOf(id, change)).toBe(told);
  });
});
