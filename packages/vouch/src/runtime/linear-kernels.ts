/**
 * The functions of `kernels/linear.ts`. A `problem` is the address of the state of a solver; a `list` that of i32 row
 * numbers.
 */
export interface LinearKernels {
  readonly linearBytes: () => number;
  /** Bytes of the state of each row taken. */
  readonly linearEntryBytes: () => number;
  /** The rows, as `LinearRows` lays them out; dense where `starts` is 0. */
  readonly linearRows: (
    problem: number,
    rows: number,
    starts: number,
    columns: number,
    wide: boolean,
  ) => void;
  readonly linearLayOut: (
    problem: number,
    squared: boolean,
    bias: number,
    entries: number,
    order: number,
    aside: number,
    weights: number,
  ) => void;
  /** Takes rows of the list. */
  readonly linearTake: (
    problem: number,
    list: number,
    labels: number,
    costs: number,
    begin: number,
    end: number,
  ) => void;
  readonly linearStart: (
    problem: number,
    tolerance: number,
    maxPasses: number,
    a: number,
    b: number,
    c: number,
    counter: number,
  ) => void;
  /** 0 after about `work` multiplications, 1 when the tolerance is reached, 2 when the passes are used up. */
  readonly linearRun: (problem: number, work: number) => number;
  readonly linearBiasWeight: (problem: number) => number;
  readonly linearPasses: (problem: number) => number;
  readonly linearViolation: (problem: number) => number;
  /** α and decision value of the rows [begin, end) taken. */
  readonly linearOutcome: (
    problem: number,
    begin: number,
    end: number,
    alphas: number,
    values: number,
  ) => void;
}
