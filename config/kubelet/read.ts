import type { Finding, TextFile } from '../finding.ts';
import type { KubeletSettings } from './settings.ts';

export interface KubeletReading {
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  /** There exactly when there are no errors. */
  readonly settings?: KubeletSettings;
}

export function readKubeletConfiguration(
  main: TextFile | undefined,
  dropIns: readonly TextFile[],
): KubeletReading {
  throw new Error(`not there yet: ${main?.file ?? ''} ${dropIns.length}`);
}
