/** What a call into the system gave; `code` is the name of its error, such as ESRCH. */
export type NativeResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: string };

/** An armed trigger on a PSI file. */
export interface ArmedTrigger {
  disarm(): void;
}

/** The system calls that Node.js has no name for. Errors of the system are values; nothing blocks. */
export interface Native {
  /** pidfd_open(2): a descriptor of the very process that has this PID now. */
  pidfdOpen(pid: number): NativeResult<number>;
  /** pidfd_send_signal(2). */
  pidfdSendSignal(pidfd: number, signal: number): NativeResult<void>;
  /** Sends one datagram to a Unix socket: a path, or `@name` in the abstract namespace. */
  sendDatagram(address: string, text: string): NativeResult<void>;
  /**
   * Arms a PSI trigger (kernel: accounting/psi) such as `some 150000 1000000`, microseconds of stall in a window; `fired`
   * is called at most once a window, and never again after `disarm`.
   */
  armPressureTrigger(path: string, trigger: string, fired: () => void): NativeResult<ArmedTrigger>;
}

/** Why there is no native part, as a sentence that says what is lost. */
export interface NativeLack {
  readonly lack: string;
}

/** Whether there is a native part. */
export function isNative(loaded: Native | NativeLack): loaded is Native {
  return !('lack' in loaded);
}
