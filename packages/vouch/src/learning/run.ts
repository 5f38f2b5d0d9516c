import type { Executor } from "../parallel/executor.js";

/** How far a long piece of work has come. `total` is absent when it is not known beforehand. */
export interface Progress {
  readonly stage: string;
  readonly done: number;
  readonly total?: number;
  /** A short remark worth showing beside the bar, such as the training error so far. */
  readonly note?: string;
}

/** Everything a fit needs besides data and options: one of these is passed through all layers. */
export interface Run {
  /** Seed of all randomness. The same seed gives the same bits, whatever the number of threads. */
  readonly seed: number;
  /** Where parallel work is done. */
  readonly executor: Executor;
  /** Aborting it stops the work within 100 ms. */
  readonly signal?: AbortSignal;
  /** Called often during long work; must be cheap. */
  readonly progress: (progress: Progress) => void;
}
