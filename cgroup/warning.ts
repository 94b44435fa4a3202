/** Something that a person should know and that does not end the run. `code` is stable and kebab-case; `pod` is namespace/name. */
export interface Warning {
  readonly code: string;
  readonly message: string;
  readonly cgroup: string | null;
  readonly pod: string | null;
}

/** A warning about the whole input. */
export function warning(code: string, message: string): Warning {
  return { code, message, cgroup: null, pod: null };
}

/** A warning about one pod, named `namespace/name`. */
export function podWarning(code: string, pod: string, message: string): Warning {
  return { code, message, cgroup: null, pod };
}
