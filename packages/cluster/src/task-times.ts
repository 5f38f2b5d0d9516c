/** When a worker went through the steps of a task, in milliseconds since 1970 by its clock. */
export interface TaskTimes {
  /** It had taken the task from the queue. */
  readonly taken: number;
  /** It had the input, and began to compute. */
  readonly began: number;
  /** It had computed the output. */
  readonly ended: number;
  /** It had stored the output. */
  readonly stored: number;
}

/** When a task went through its steps: those of its worker, and those of this machine by its own clock. */
export interface TaskRecord extends TaskTimes {
  readonly task: string;
  /** The number of the `map` in its run, and that of the input in its `map`. */
  readonly map: number;
  readonly index: number;
  /** Host and process of the worker. */
  readonly worker: string;
  /** Whether the task had all threads of its worker. */
  readonly wholeMachine: boolean;
  /** This machine passed the input on to be sent, heard of the result, and had decoded it. */
  readonly sent: number;
  readonly heard: number;
  readonly decoded: number;
}

/** Returns the time in milliseconds since 1970; unlike `Date.now` with fractions. */
export function preciseTime(): number {
  return performance.timeOrigin + performance.now();
}
