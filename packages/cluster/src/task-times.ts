/** Times of a task's steps on its worker, in milliseconds since 1970 by the worker's clock. */
export interface TaskTimes {
  /** Taken from the queue. */
  readonly taken: number;
  /** Input fetched; computation began. */
  readonly began: number;
  /** Output computed. */
  readonly ended: number;
  /** Output stored. */
  readonly stored: number;
}

/** Times of a task's steps on its worker and, by its own clock, on this machine. */
export interface TaskRecord extends TaskTimes {
  readonly task: string;
  /** Number of the `map` in its run, and of the input in its `map`. */
  readonly map: number;
  readonly index: number;
  /** Host and process of the worker. */
  readonly worker: string;
  /** Whether the task used all threads of its worker. */
  readonly wholeMachine: boolean;
  /** When this machine submitted the input, received the result, and had decoded it. */
  readonly sent: number;
  readonly heard: number;
  readonly decoded: number;
}

/** Returns milliseconds since 1970, with fractions, unlike `Date.now`. */
export function preciseTime(): number {
  return performance.timeOrigin + performance.now();
}
