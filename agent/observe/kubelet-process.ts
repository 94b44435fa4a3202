import { parseProcs } from '../../cgroup/parse.ts';
import type { NodeRoot } from './root.ts';

/** comm of the process (kubelet; microk8s and k3s run it inside a process of another name, and are told by its socket). */
const KUBELET = 'kubelet';
/** Sockets that every kubelet listens on; distributions put them elsewhere, but where root alone may. */
const KUBELET_SOCKET = /^\/var\/(?:lib|snap)\/(?:.*\/)?(?:device-plugins|pod-resources)\/kubelet\.sock$/;
/** __SO_ACCEPTCON: somebody listens. A socket's file stays behind when its kubelet is killed; this line does not. */
const LISTENS = '00010000';
const FLAGS_FIELD = 3;
const PATH_FIELD = 7;

/**
 * By what a live kubelet was recognised, for people; undefined where there is none: a process of root called kubelet, or a
 * listening socket of a kubelet. Under a root other than `/` there is none, since its processes are not this machine's.
 * A name that only looks like one keeps evictions dry, which is the safe side; so as not to hand that to every user, a
 * process must be root's.
 */
export function liveKubelet(root: Pick<NodeRoot, 'kind' | 'files'>): string | undefined {
  if (root.kind !== 'host') {
    return undefined;
  }
  const socket = listeningSocket(root.files);
  if (socket !== undefined) {
    return `a kubelet listens on ${socket}`;
  }
  const pid = kubeletPid(root.files);
  return pid === undefined ? undefined : `process ${pid} is a kubelet`;
}

/**
 * Fields of a line: address, references, protocol, flags, type, state, inode, path (proc_net_unix(5)). The file has the sockets
 * of the reader's network alone: in a pod with the processes of its node, those of the node are in that of its first process.
 */
function listeningSocket(files: NodeRoot['files']): string | undefined {
  return ['proc/1/net/unix', 'proc/net/unix'].map((path) => listeningIn(path, files)).find(Boolean);
}

function listeningIn(file: string, files: NodeRoot['files']): string | undefined {
  const sockets = files.readFile(file);
  for (const line of sockets.kind === 'read' ? sockets.text.split('\n') : []) {
    const fields = line.trim().split(/\s+/);
    const path = fields[PATH_FIELD];
    if (fields[FLAGS_FIELD] === LISTENS && path !== undefined && KUBELET_SOCKET.test(path)) {
      return path;
    }
  }
  return undefined;
}

function kubeletPid(files: NodeRoot['files']): number | undefined {
  const listed = files.readDirectory('proc');
  const pids = listed.kind === 'read' ? parseProcs(listed.directories.join('\n')) : [];
  return pids.find((pid) => {
    const comm = files.readFile(`proc/${pid}/comm`);
    return (
      comm.kind === 'read' &&
      comm.text.trim() === KUBELET &&
      isLivingRoot(files.readFile(`proc/${pid}/status`))
    );
  });
}

function isLivingRoot(status: ReturnType<NodeRoot['files']['readFile']>): boolean {
  return status.kind === 'read' && /^Uid:\t0\t/m.test(status.text) && !/^State:\t[ZX]/m.test(status.text);
}
