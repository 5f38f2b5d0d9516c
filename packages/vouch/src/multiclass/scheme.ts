import type { Features } from "../data/sample.js";
import type { Matrix } from "../numeric/matrix.js";
import type { SchemeName } from "./base-learner.js";
import type { Machines } from "./machines.js";

/** The classes on the two sides of a machine, by index. */
export interface Sides {
  readonly first: readonly number[];
  readonly second: readonly number[];
}

/** A way to tell many classes apart with machines for two; classes are those with training rows, from 0 on. */
export interface Scheme {
  readonly name: SchemeName;
  /** What progress counts. */
  readonly stage: string;
  /** The machines for so many classes, at least two. */
  sides(classes: number): Sides[];
  /** What scores are. */
  scoring(machines: Machines, classes: number): "probability" | "decision";
  /** One column per class; the largest wins, ties go to the smaller index. */
  scores(machines: Machines, classes: number, features: Features): Matrix;
  /** Margins in [−1, 1] of rows whose class is −1 where it is unknown; asked for where scores are decision values. */
  margins(machines: Machines, classes: number, features: Features, labels: Int32Array): Float64Array;
  /** How many numbers a row takes while it is scored. */
  width(classes: number): number;
  /** The machines that each row asks, one list of rows after the other; absent where every row asks all. */
  asked?(machines: Machines, classes: number, features: Features): Iterable<Asked>;
  /** Of the errors that machines make on rows of their own sides, what the whole scheme's error is at most. */
  errorBound(errors: readonly number[], classes: number): number;
}

/** Rows that ask a machine. */
export interface Asked {
  readonly machine: number;
  readonly rows: Int32Array;
}
