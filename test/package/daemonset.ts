/** A DaemonSet, as far as tests look at it. */
export interface DaemonSetObject {
  readonly spec: {
    readonly updateStrategy: object;
    readonly template: { readonly spec: PodSpecObject };
  };
}

export interface PodSpecObject {
  readonly hostPID: boolean;
  readonly securityContext: object;
  readonly containers: readonly ContainerObject[];
  readonly initContainers?: readonly ContainerObject[];
  readonly volumes: readonly {
    readonly name: string;
    readonly hostPath?: { readonly path: string; readonly type: string };
    readonly configMap?: { readonly name: string };
  }[];
  readonly [field: string]: unknown;
}

export interface ContainerObject {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly securityContext: {
    readonly capabilities: { readonly drop: readonly string[]; readonly add?: readonly string[] };
    readonly [field: string]: unknown;
  };
  readonly resources: object;
  readonly ports: readonly object[];
  readonly livenessProbe: object;
  readonly readinessProbe: object;
  readonly volumeMounts: readonly {
    readonly name: string;
    readonly mountPath: string;
    readonly readOnly?: boolean;
  }[];
}

export function templateOf(daemonSet: DaemonSetObject): { readonly spec: PodSpecObject } {
  return daemonSet.spec.template;
}

/** The container that goes on. Throws where there is more than one. */
export function onlyContainer(daemonSet: DaemonSetObject): ContainerObject {
  const [container, ...others] = daemonSet.spec.template.spec.containers;
  if (container === undefined || others.length > 0) throw new Error('there is not one container');
  return container;
}
