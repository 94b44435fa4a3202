/** What the name of a source of pods means: `--pods`, or `pods.source` of nodeqos.yaml. */
export type PodSourceName =
  | { readonly kind: 'auto' }
  | { readonly kind: 'api' }
  | { readonly kind: 'file' | 'dir'; readonly path: string }
  | { readonly kind: 'kubelet'; readonly url: string }
  | { readonly kind: 'cri'; readonly socket: string };

/** `auto`, `api`, `kubelet:URL`, `cri:SOCKET`, `dir:PATH`, `file:PATH`; whatever else is a path. What follows may be empty. */
export function parseSourceName(name: string): PodSourceName {
  if (name === 'auto' || name === 'api') return { kind: name };
  const [, scheme, rest] = /^(file|dir|kubelet|cri):(.*)$/s.exec(name) ?? [];
  if (rest === undefined) return { kind: 'file', path: name };
  if (scheme === 'kubelet') return { kind: 'kubelet', url: rest };
  if (scheme === 'cri') return { kind: 'cri', socket: rest };
  return { kind: scheme === 'dir' ? 'dir' : 'file', path: rest };
}

/** Whether a source is asked over a connection and not read from files. */
export function isRemote(name: PodSourceName): boolean {
  return name.kind === 'api' || name.kind === 'kubelet' || name.kind === 'cri';
}
