/** What the machine tells of one case, a line of JSON each. */
export interface CaseResult {
  readonly case: string;
  readonly passed: boolean;
  readonly ms: number;
  /** What a person who reads the log may want to know: numbers that were measured, none of which is asserted. */
  readonly notes: readonly string[];
  /** Why it failed. */
  readonly error?: string;
}

/** One thing that holds on a real kernel, as a sentence, and how it is tried. */
export interface KernelCase {
  readonly name: string;
  /** Whether it shows what nodeqos does, which is the same everywhere, and not what a kernel does: one of them is enough. */
  readonly isOfOneKernel?: boolean;
  run(notes: Notes): Promise<void> | void;
}

/** Takes down what was measured. */
export type Notes = (note: string) => void;
