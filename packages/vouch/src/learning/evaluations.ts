/** What the prediction of one row costs a classifier that asks several machines, on the mean over some rows. */
export interface Evaluations {
  /** Support vectors that the row is compared with, each counted once; absent where machines have none. */
  readonly kernel?: number;
  /** Machines that are asked. */
  readonly nodes: number;
}
