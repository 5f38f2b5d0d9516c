import type { MapOptions } from "./executor.js";

/** Adds up the progress of the tasks of one `map`; what it reports never goes back, and ends at the total. */
export class MapProgress {
  readonly #total: number;
  readonly #onProgress: MapOptions["onProgress"];
  /** Fraction done of each task that runs and has reported. */
  readonly #fractions = new Map<number, number>();
  #completed = 0;
  #reported = 0;

  constructor(total: number, onProgress: MapOptions["onProgress"]) {
    this.#total = total;
    this.#onProgress = onProgress;
  }

  /** Task `index` has come to this fraction of its work. */
  advance(index: number, fraction: number, note?: string): void {
    const known = this.#fractions.get(index) ?? 0;
    if (fraction > known) this.#fractions.set(index, Math.min(1, fraction));
    this.#report(note);
  }

  /** Task `index` has ended. */
  complete(index: number): void {
    this.#fractions.delete(index);
    this.#completed++;
    this.#report();
  }

  #report(note?: string): void {
    if (!this.#onProgress) return;
    let done = this.#completed;
    for (const fraction of this.#fractions.values()) done += fraction;
    this.#reported = Math.max(this.#reported, done);
    this.#onProgress(this.#reported, this.#total, note);
  }
}
