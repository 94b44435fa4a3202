/** What may say the name that a node has in its cluster. */
export interface NodeNaming {
  /** What a person or a Node object says. */
  readonly named: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** As the kernel has it (uname -n). */
  readonly hostname: string;
}

/**
 * The name of this node in its cluster: what was said, else NODE_NAME, which a DaemonSet sets from the field spec.nodeName of
 * its pod, else the name of the host as the kubelet takes it: without blanks around it, in small letters.
 */
export function nodeNameOf({ named, env, hostname }: NodeNaming): string {
  const said = [named, env['NODE_NAME']].find((name) => name !== undefined && name.trim() !== '');
  return said?.trim() ?? hostname.trim().toLowerCase();
}
