import type { ServiceManager } from '../../agent/ports.ts';

/** A service manager that notes what it is told. */
export class RecordingManager implements ServiceManager {
  readonly told: string[] = [];
  readonly lack: string | undefined = undefined;
  readonly watchdogMs: number | undefined;

  constructor(watchdogMs?: number) {
    this.watchdogMs = watchdogMs;
  }

  ready(status: string): void {
    this.told.push(`ready ${status}`);
  }

  reloading(monotonicUs: bigint): void {
    this.told.push(`reloading ${monotonicUs}`);
  }

  status(text: string): void {
    this.told.push(`status ${text}`);
  }

  stopping(): void {
    this.told.push('stopping');
  }

  watchdog(): void {
    this.told.push('watchdog');
  }
}
