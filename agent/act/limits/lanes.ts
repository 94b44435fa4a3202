/** Does tasks in the order in which they came, a few at a time. Tasks see to their own failures and never reject. */
export class Lanes {
  readonly #width: number;
  readonly #waiting: (() => Promise<void>)[] = [];
  #running = 0;
  #idleWaiters: (() => void)[] = [];

  constructor(width: number) {
    this.#width = width;
  }

  add(task: () => Promise<void>): void {
    this.#waiting.push(task);
    this.#begin();
  }

  /** Forgets the tasks that have not begun. */
  clear(): void {
    this.#waiting.length = 0;
    this.#tellIdle();
  }

  /** Resolves when no task is left. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idleWaiters.push(resolve);
      this.#tellIdle();
    });
  }

  #begin(): void {
    while (this.#running < this.#width) {
      const task = this.#waiting.shift();
      if (task === undefined) {
        return;
      }
      this.#running += 1;
      void task().finally(() => {
        this.#running -= 1;
        this.#begin();
        this.#tellIdle();
      });
    }
  }

  #tellIdle(): void {
    if (this.#running === 0 && this.#waiting.length === 0) {
      for (const resolve of this.#idleWaiters.splice(0)) {
        resolve();
      }
    }
  }
}
