import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PodList } from '../../../../agent/observe/pods/pod-list.ts';
import { readPods } from '../../../../agent/observe/pods/pod-source.ts';
import { SimRandom } from '../../../fakes/sim-random.ts';

const MINUTES_OF_A_DAY = 1440;
const NAMES = ['bread', 'cake', 'rolls', 'pie', 'tart', 'scone'];

let parent = '';
let folder = '';
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'nodeqos-manifest-day-'));
  folder = join(parent, 'manifests');
  mkdirSync(folder);
});
afterEach(() => {
  rmSync(parent, { recursive: true });
});

const manifest = (name: string): string =>
  `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\nspec:\n  containers:\n  - name: oven\n`;

/** Writes beside the file and renames over it, as who knows better does. */
function put(name: string): void {
  const unfinished = join(parent, 'unfinished');
  writeFileSync(unfinished, manifest(name));
  renameSync(unfinished, join(folder, `${name}.yaml`));
}

describe('a folder of manifests, over a day', () => {
  it.each([1, 2, 3])(
    'loses and doubles no pod, while the folder goes away and comes back (seed %i)',
    (seed) => {
      const random = new SimRandom(seed);
      const list = new PodList({ paths: [folder], read: () => readPods(`dir:${folder}`).pods });
      const away = join(parent, 'away');
      const here = new Set<string>();
      let known: readonly string[] = [];
      let isAway = false;
      let awayLooks = 0;
      list.look(0);
      for (let minute = 1; minute <= MINUTES_OF_A_DAY; minute += 1) {
        const name = random.pick(NAMES) ?? 'bread';
        if (random.chance(0.05)) {
          renameSync(...(isAway ? ([away, folder] as const) : ([folder, away] as const)));
          isAway = !isAway;
        } else if (!isAway && random.chance(0.5)) {
          put(name);
          here.add(name);
        } else if (!isAway) {
          rmSync(join(folder, `${name}.yaml`), { force: true });
          here.delete(name);
        }
        const { pods = [], ageMs, lack } = list.look(minute * 60_000);
        if (!isAway) known = [...here].toSorted();
        awayLooks = isAway ? awayLooks + 1 : 0;
        expect(pods.map((pod) => pod.name).toSorted()).toEqual(known);
        expect([lack !== undefined, ageMs]).toEqual([isAway, awayLooks * 60_000]);
      }
    },
  );
});
