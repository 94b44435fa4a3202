import type { Finding, TextFile } from '../finding.ts';
import type { NodeQosSettings } from './settings.ts';

export interface NodeQosReading {
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  /** There exactly when there are no errors. */
  readonly settings?: NodeQosSettings;
}

export function readNodeQosConfiguration(
  main: TextFile | undefined,
  dropIns: readonly TextFile[],
): NodeQosReading {
  throw new Error(`not there yet: ${main?.file ?? ''} ${dropIns.length}`);
}
