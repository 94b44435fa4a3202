import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../agent/cli/program.ts';
import { RecordingIo } from './recording-io.ts';

/** What one command line gave. */
export interface ProgramRun {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly warnings: readonly string[];
}

/** Runs one command line in this process. */
export async function run(...argv: readonly string[]): Promise<ProgramRun> {
  const io = new RecordingIo();
  const status = await runProgram(argv, io);
  return { status, stdout: io.stdout, stderr: io.stderr, warnings: io.warnings };
}

/** A folder of a test's own, gone at its end. */
export class Workplace {
  readonly folder = mkdtempSync(join(tmpdir(), 'nodeqos-work-'));

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, text: string): string {
    writeFileSync(this.path(name), text);
    return this.path(name);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Pods of every class, with things in them that nobody may see elsewhere: each is the word `hunter2`. */
export const SECRETIVE_PODS = `apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Pod
  metadata:
    name: db
    namespace: shop
    uid: 0a0a0a0a-1111-4222-8333-444444444444
    annotations: {kubectl.kubernetes.io/last-applied-configuration: hunter2}
    labels: {app: db}
    managedFields: [{manager: hunter2}]
  spec:
    nodeName: n1
    priority: 1000
    initContainers:
    - {name: migrate, image: hunter2, command: [hunter2], resources: {requests: {memory: 64Mi, cpu: 1}, limits: {memory: 64Mi, cpu: 1}}}
    - {name: proxy, restartPolicy: Always, resources: {requests: {memory: 32Mi, cpu: 10m}, limits: {memory: 32Mi, cpu: 10m}}}
    containers:
    - name: pg
      image: hunter2
      args: [--password=hunter2]
      env: [{name: PASSWORD, value: hunter2}]
      resources: {requests: {memory: 512Mi, cpu: 1}, limits: {memory: 512Mi, cpu: 1}}
    volumes:
    - {name: cache, emptyDir: {medium: Memory, sizeLimit: 64Mi}}
    - {name: token, secret: {secretName: hunter2}}
    - {name: host, hostPath: {path: /hunter2}}
    tolerations: [{key: dedicated, operator: Equal, value: db, effect: NoExecute, tolerationSeconds: 30}]
- apiVersion: v1
  kind: Pod
  metadata: {name: web, namespace: shop, uid: 0b0b0b0b-1111-4222-8333-444444444444}
  spec:
    nodeName: n1
    overhead: {memory: 10Mi}
    containers:
    - {name: app, resources: {requests: {memory: 256Mi}, limits: {memory: 1Gi}}}
- apiVersion: v1
  kind: Pod
  metadata: {name: sized, namespace: shop}
  spec:
    nodeName: n1
    resources: {requests: {memory: 1.1Gi}, limits: {memory: 2Gi}}
    containers: [{name: one}, {name: two, resources: {requests: {memory: 100M}}}]
- apiVersion: v1
  kind: Pod
  metadata: {name: batch, namespace: lab}
  spec: {nodeName: n1, containers: [{name: job}]}
- apiVersion: v1
  kind: Pod
  metadata: {name: done, namespace: lab, uid: 0c0c0c0c-1111-4222-8333-444444444444}
  spec: {nodeName: n1, containers: [{name: job}]}
  status: {phase: Succeeded}
`;

/** A configuration with everything that a plan depends on, and a secret. */
export const SECRETIVE_KUBELET = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
staticPodURLHeader:
  Authorization:
  - Bearer hunter2
  X-More: ['hunter2', "hunter2"]
kubeReserved: {memory: 256Mi}
systemReserved: {memory: 128Mi}
systemReservedCgroup: /system.slice
enforceNodeAllocatable: [pods, system-reserved]
memoryThrottlingFactor: 0.9
memoryReservationPolicy: TieredReservation
`;
