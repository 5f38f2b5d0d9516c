/** What has to be given back after use. */
interface Releasable {
  release(): void;
}

/** Kernel memory that one piece of work holds, to be given back together, the last first. */
export class HeldMemory {
  readonly #held: Releasable[] = [];

  /** Takes charge of it and gives it back to the caller for use. */
  hold<Kind extends Releasable>(held: Kind): Kind {
    this.#held.push(held);
    return held;
  }

  release(): void {
    for (const held of this.#held.reverse()) held.release();
    this.#held.length = 0;
  }
}
