import { Random } from "@vouch/core/internal/runtime/maths/random";
import type { PlainRows } from "../datasets.js";

const ROWS = 600;
const FEATURES = 10;
const NOISE = 0.05;

/** The name of the generated data set. */
export const LINEAR_REGIMES = "two linear regimes (generated)";

/**
 * Generates a data set that suits deep cascades: the sign of the first feature decides which of two linear classifiers
 * gives the class, and 5% of the labels are flipped.
 */
export function linearRegimes(seed: number): PlainRows {
  const random = new Random(seed);
  const normals = (count: number) => Float64Array.from({ length: count }, () => random.normal());
  const weights = [normals(FEATURES), normals(FEATURES)];
  const values = Array.from({ length: FEATURES }, () => normals(ROWS));
  const labels = Int32Array.from({ length: ROWS }, (_, i) => {
    const own = weights[values[0][i] > 0 ? 1 : 0];
    const sum = own.reduce((total, weight, j) => total + weight * values[j][i], 0);
    return Number(sum > 0) ^ Number(random.uniform() < NOISE);
  });
  const columns = values.map((column, j) => ({
    kind: "numeric" as const,
    name: `x${j + 1}`,
    values: column,
  }));
  return { name: LINEAR_REGIMES, columns, labels, target: "class", classes: ["a", "b"] };
}
