import { EXIT, Failure } from '../../exit.ts';
import type { PodsRead } from '../../model/pods-read.ts';
import { liveKubelet } from '../../observe/kubelet-process.ts';
import { LastGood } from '../../observe/last-good.ts';
import { isRemote, type PodSourceName, parseSourceName } from '../../observe/pods/source-name.ts';
import { isSocket, socketPath } from '../../observe/runtime-socket.ts';
import { apiPods } from '../../peers/api/api-pods.ts';
import { type AutoSource, autoPods } from '../../peers/auto-pods.ts';
import { criPods } from '../../peers/cri/cri-pods.ts';
import { hasKubeletCredentials } from '../../peers/kubelet/credentials.ts';
import { kubeletPods } from '../../peers/kubelet/kubelet-pods.ts';
import type { Clock, PodFeed, RemotePods } from '../../ports.ts';
import type { Configuration } from './configuration.ts';
import type { Peers } from './peers.ts';
import { manifestPaths, type PodPlaces, podsInManifests } from './pod-input.ts';

/** The kubelet of this machine is asked without leaving it. */
const OWN_HOST = '127.0.0.1';
const KUBELET_PORT = 10_250;
/** How long one look at a runtime may take in all: it is several calls. */
const CALLS_OF_A_LOOK = 3;

/** Where pods are wanted from, and what the configurations say of it. */
export interface PodSetup extends Configuration {
  readonly places: PodPlaces;
}

/**
 * Whom the pods of a setup are asked from over a connection; undefined where they are read from files: a source that is
 * one, a captured node, a fake one, and `auto` under any root but this machine's. Throws Failure 64 for a source that is none.
 */
export function podFeed(setup: PodSetup, peers: Peers): PodFeed | undefined {
  const { named, root, captured } = setup.places;
  if (named === undefined && captured !== undefined) return undefined;
  const name = parseSourceName(named ?? setup.nodeqos.pods.source);
  if (isRemote(name)) return feedOf(remotePods(name, setup, peers));
  const isHere = root?.kind === 'host' && !root.isFake;
  return name.kind === 'auto' && named === undefined && isHere ? autoFeed(setup, peers) : undefined;
}

function remotePods(name: PodSourceName, setup: PodSetup, peers: Peers): RemotePods {
  const { clock } = peers.parts;
  const everyMs = setup.nodeqos.loop.intervalMs;
  switch (name.kind) {
    case 'kubelet':
      return kubeletPods(peers.kubelet(name.url), { everyMs, clock });
    case 'cri': {
      const socket = socketPath(name.socket);
      if (socket === undefined) {
        throw new Failure(
          EXIT.usage,
          `cri:${name.socket} names no socket; give its path, such as cri:/run/containerd/containerd.sock`,
        );
      }
      return runtimePods(socket, setup, peers);
    }
    case 'api':
      return apiPods({ client: () => peers.api(), nodeName: peers.nodeName, clock });
    default:
      throw new Error(`${name.kind} is no source that is asked over a connection`);
  }
}

/** The runtime with the manifests of static pods, which know what it does not: requests and priorities. */
function runtimePods(socket: string, setup: PodSetup, peers: Peers): RemotePods {
  const { clock } = peers.parts;
  const manifests = manifestReader(setup, clock);
  return criPods({
    client: peers.runtime(socket),
    manifests: () => manifests() ?? NO_PODS,
    everyMs: setup.nodeqos.loop.intervalMs,
    clock,
  });
}

const NO_PODS: PodsRead = { pods: [], warnings: [] };

/** The manifests of static pods, read anew when they change; undefined where there is no folder of them. */
function manifestReader(setup: PodSetup, clock: Clock): () => PodsRead | undefined {
  const { places } = setup;
  const last = new LastGood({
    paths: manifestPaths(places, setup),
    read: () => podsInManifests(places, setup),
  });
  return () => {
    const { value } = last.look(clock.nowMs());
    if (last.failure !== undefined) throw last.failure;
    return value;
  };
}

function autoFeed(setup: PodSetup, peers: Peers): PodFeed {
  const { clock } = peers.parts;
  const { loop, pods, kubelet, runtime } = setup.nodeqos;
  return autoPods({
    sources: [kubeletHere(setup, peers), runtimeHere(setup, peers), manifestsHere(setup, clock)],
    everyMs: loop.intervalMs,
    deadlineMs: Math.max(kubelet.deadlineMs, runtime.deadlineMs * CALLS_OF_A_LOOK),
    patienceMs: pods.maxAgeMs,
    clock,
  });
}

/** The kubelet of this machine, where one runs and there is a way to ask it. */
function kubeletHere(setup: PodSetup, peers: Peers): AutoSource {
  const { kubelet, nodeqos } = setup;
  const isOpen = kubelet.readOnlyPort !== undefined;
  const port = kubelet.readOnlyPort ?? kubelet.port ?? KUBELET_PORT;
  const url = `${isOpen ? 'http' : 'https'}://${OWN_HOST}:${port}`;
  const name = `kubelet:${url}`;
  const remote = remotePods({ kind: 'kubelet', url }, setup, peers);
  return {
    name,
    list: async (signal) => {
      const { root } = setup.places;
      if (root === undefined || liveKubelet(root) === undefined) return undefined;
      return isOpen || hasKubeletCredentials(nodeqos.kubelet) ? await remote.list(signal) : undefined;
    },
  };
}

/** The container runtime of this machine, where its socket is: it may come later, and elsewhere. */
function runtimeHere(setup: PodSetup, peers: Peers): AutoSource {
  let remote: RemotePods | undefined;
  return {
    get name() {
      return remote?.name ?? 'cri:';
    },
    list: async (signal) => {
      const socket = peers.runtimeSocket;
      if (socket === undefined || !isSocket(socket)) return undefined;
      if (remote?.name !== `cri:${socket}`) remote = runtimePods(socket, setup, peers);
      return await remote.list(signal);
    },
  };
}

function manifestsHere(setup: PodSetup, clock: Clock): AutoSource {
  const manifests = manifestReader(setup, clock);
  return { name: 'auto', list: async () => await Promise.resolve(manifests()) };
}

/** A source that is asked over a connection, as a feed of one. */
function feedOf(remote: RemotePods): PodFeed {
  const { name } = remote;
  return {
    name,
    list: async (signal) => ({ read: await remote.list(signal), from: name }),
    follow: async (told, signal) => {
      await remote.follow((news) => {
        told(news.kind === 'pods' ? { ...news, from: name } : news);
      }, signal);
    },
  };
}
