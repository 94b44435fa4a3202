import { MEMORY_FILES, type MemoryFile } from '../../cgroup/memory-files.ts';
import type { SimLimitState } from '../fakes/sim-limits.ts';
import type { SimNode } from '../fakes/sim-node.ts';
import type { SimRandom } from '../fakes/sim-random.ts';
import type { SimTime } from '../fakes/sim-time.ts';
import type { LimitPromises } from './limit-promises.ts';

interface LimitWorldParts {
  readonly random: SimRandom;
  readonly time: SimTime;
  readonly node: SimNode;
  readonly state: SimLimitState;
  readonly promises: LimitPromises;
}

interface Place {
  readonly cgroup: string;
  readonly file: MemoryFile;
}

/** What befalls limit files besides what nodeqos does to them. */
export class LimitWorld {
  readonly #parts: LimitWorldParts;
  readonly #steps: readonly (readonly [number, () => void])[];

  constructor(parts: LimitWorldParts) {
    this.#parts = parts;
    this.#steps = [
      [
        3,
        () => {
          this.#change(this.#somePlace());
        },
      ],
      [
        1,
        () => {
          this.#fight();
        },
      ],
      [
        1,
        () => {
          this.#fail('isReadOnly');
        },
      ],
      [
        1,
        () => {
          this.#fail('journalFails');
        },
      ],
      [
        0.5,
        () => {
          this.#hide();
        },
      ],
      [
        2,
        () => {
          this.#parts.state.reclaimMs = this.#parts.random.pick([0, 0, 400, 3000]) ?? 0;
        },
      ],
    ];
  }

  step(): void {
    this.#parts.random.weighted(this.#steps, () => undefined)();
  }

  /** Somebody writes a value of his own. */
  #change(place: Place | undefined): void {
    const { node, random, promises } = this.#parts;
    const group = place === undefined ? undefined : node.limitsOf(place.cgroup);
    if (place === undefined || group === undefined) return;
    const before = group.files[place.file];
    const text = `${random.whole(1, 1000) * 4096}\n`;
    if (text === before) return;
    group.files[place.file] = text;
    promises.dirtied({ ...place, inode: group.inode }, before, text);
  }

  /** Somebody who does so again and again. */
  #fight(): void {
    const { random, time } = this.#parts;
    const place = this.#somePlace();
    const again = (left: number): void => {
      this.#change(place);
      if (left > 0)
        time.in(random.whole(2, 12) * 500, () => {
          again(left - 1);
        });
    };
    again(random.whole(3, 9));
  }

  #fail(what: 'isReadOnly' | 'journalFails'): void {
    const { random, time, state } = this.#parts;
    state[what] = true;
    time.in(random.whole(1, 20) * 700, () => {
      state[what] = false;
    });
  }

  /** A file that cannot be read for a while. */
  #hide(): void {
    const { random, time, state } = this.#parts;
    const place = this.#somePlace();
    if (place === undefined) return;
    const path = `${place.cgroup}/${place.file}`;
    state.unreadable.add(path);
    time.in(random.whole(1, 10) * 500, () => {
      state.unreadable.delete(path);
    });
  }

  #somePlace(): Place | undefined {
    const { node, random } = this.#parts;
    const cgroup = random.pick([...node.limitGroups.keys()]);
    const file = random.pick(MEMORY_FILES);
    return cgroup === undefined || file === undefined ? undefined : { cgroup, file };
  }
}
