import type { Health } from './health.ts';

/** What the agent says when it is asked. */
export interface Answers {
  metrics(): Promise<{ readonly text: string; readonly contentType: string }>;
  /** undefined: before the first tick. */
  state(): object | undefined;
  health(): Health;
  ready(): Health;
}

export type Server =
  | { readonly kind: 'listening'; readonly address: string; close(): Promise<void> }
  /** Nobody is to be answered, as configured. */
  | { readonly kind: 'none' }
  | { readonly kind: 'failed'; readonly sentence: string };

/** Answers GET and HEAD at `listen`: ADDR:PORT, unix:PATH or none. Never throws for what a machine can have against it. */
export function startServer(_listen: string, _answers: Answers): Promise<Server> {
  return Promise.reject(new Error('not there yet'));
}
