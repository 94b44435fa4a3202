import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { MIB, until } from '../guest/machine.ts';

/** Takes as many MiB more as each line of the FIFO says, and says when it has them. */
const HOG = `BEGIN { mib = "x"; while (length(mib) < ${MIB}) mib = mib mib; print "ready" >"/case/said"; fflush("/case/said") }
{ for (k = 0; k < $1; k++) held[n++] = mib n; print "has " n >"/case/said"; fflush("/case/said") }`;

/** What the image of the cases runs; the folder of the process is its /case. */
export const HOG_COMMAND = ['/bin/sh', '-c', 'mkfifo /case/orders && exec awk "$0" <>/case/orders', HOG];

/** A folder of the machine, which is /case in a container. */
export function sharedFolder(name: string): string {
  const folder = `/run/containers/${name}`;
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** The process of a container, which takes memory when it is told. */
export class ContainerProcess {
  readonly #folder: string;
  readonly #orders: number;
  #hasMib = 0;
  #isLeft = false;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#orders = openSync(`${folder}/orders`, 'w');
  }

  /** Waits until it runs. */
  static async in(folder: string): Promise<ContainerProcess> {
    await until(() => said(folder).includes('ready'), `the process of ${folder}`);
    return new ContainerProcess(folder);
  }

  /** Orders memory, and does not wait until it is there. */
  order(mib: number): void {
    this.#hasMib += mib;
    writeSync(this.#orders, `${mib}\n`);
  }

  async grow(mib: number): Promise<void> {
    this.order(mib);
    await until(
      () => said(this.#folder).includes(`has ${this.#hasMib}\n`),
      `${this.#hasMib} MiB in a container`,
    );
  }

  /** Lets go of it, and takes its folder away. */
  leave(): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    closeSync(this.#orders);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function said(folder: string): string {
  const file = `${folder}/said`;
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
