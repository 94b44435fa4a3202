import { settingsDiff } from '../decide/settings-diff.ts';
import type { Clock, ServiceManager } from '../ports.ts';
import type { Agent, AgentSetup } from './agent.ts';
import type { Announcer } from './announcer.ts';

/** A setup, and the settings that it was made from, for people to compare. */
interface LoadedSetup {
  readonly setup: AgentSetup;
  readonly settings: object;
  /** Settings that changed and are taken at the next start only. */
  readonly later: readonly string[];
}

/** A configuration that was read again: good, or refused with one sentence. */
export type Loading =
  | { readonly kind: 'loaded'; readonly loaded: LoadedSetup }
  | { readonly kind: 'refused'; readonly sentence: string };

export interface ReloadParts {
  readonly agent: Pick<Agent, 'use'>;
  readonly announcer: Announcer;
  readonly manager: ServiceManager;
  readonly clock: Clock;
  /** Reads everything again. Throws nothing that a file can cause. */
  load(): Promise<Loading>;
}

/**
 * Takes a new configuration between two ticks, all of it or nothing: one that is refused changes nothing and stays visible
 * until a good one comes.
 */
export class Reload {
  readonly #parts: ReloadParts;
  #settings: object;
  #wanted = false;
  #loadedAtMs: number;
  #error: string | undefined;

  constructor(parts: ReloadParts, settings: object) {
    this.#parts = parts;
    this.#settings = settings;
    this.#loadedAtMs = parts.clock.wallMs();
  }

  /** Somebody asked for a reload, or a file changed. */
  want(): void {
    this.#wanted = true;
  }

  /** How the configuration stands. */
  get figures(): {
    readonly configurationValid: boolean;
    readonly configurationError?: string;
    readonly configurationLoadedAtMs: number;
  } {
    return {
      configurationValid: this.#error === undefined,
      configurationLoadedAtMs: this.#loadedAtMs,
      ...(this.#error === undefined ? {} : { configurationError: this.#error }),
    };
  }

  /**
   * Does what was asked for since the last time, if anything was; gives whether. The service manager is told that it begins;
   * it is over with the first look that goes by it, as the start is.
   */
  async ifWanted(): Promise<boolean> {
    if (!this.#wanted) return false;
    this.#wanted = false;
    const { agent, announcer, manager, clock } = this.#parts;
    manager.reloading(BigInt(Math.round(clock.nowMs() * 1000)));
    const loading = await this.#parts.load();
    if (loading.kind === 'refused') {
      const isNew = this.#error !== loading.sentence;
      this.#error = loading.sentence;
      if (isNew) await announcer.event({ kind: 'reload', ok: false, changes: [], error: loading.sentence });
    } else {
      const { setup, settings, later } = loading.loaded;
      const changes = settingsDiff(this.#settings, settings).map((line) =>
        later.includes(line.replace(/:.*/s, '')) ? `${line} (at the next start)` : line,
      );
      this.#settings = settings;
      this.#loadedAtMs = clock.wallMs();
      this.#error = undefined;
      agent.use(setup);
      announcer.use(setup.mode);
      await announcer.event({ kind: 'reload', ok: true, changes });
    }
    return true;
  }
}
