/** The loss of models that were fitted to some number of rows. */
export interface CurvePoint {
  readonly rows: number;
  readonly loss: number;
}

/** Least part of the last loss that more rows are expected to leave: a curve through two points is not to be trusted further. */
const LEAST_LEFT = 0.5;

/**
 * Projects a learning curve to a number of rows: the curve a + b / √n through the last two points, where the loss falls as
 * estimation errors do. The projection is between half of the last loss and the last loss.
 */
export function projectedLoss(points: readonly CurvePoint[], rows: number): number {
  const [before, last] = points.slice(-2);
  if (last === undefined) return before?.loss ?? Number.POSITIVE_INFINITY;
  if (rows <= last.rows || last.rows <= before.rows) return last.loss;
  const slope = (before.loss - last.loss) / (1 / Math.sqrt(before.rows) - 1 / Math.sqrt(last.rows));
  const projected = last.loss - Math.max(0, slope) * (1 / Math.sqrt(last.rows) - 1 / Math.sqrt(rows));
  return Math.max(LEAST_LEFT * last.loss, projected);
}
