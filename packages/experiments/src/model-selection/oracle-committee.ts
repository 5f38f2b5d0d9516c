import { Matrix } from "@vouch/core/internal/runtime/maths/matrix";
import type { Random } from "@vouch/core/internal/runtime/maths/random";

/** Sizes of an oracle problem (§5.1). */
export interface OracleSizes {
  readonly points: number;
  readonly features: number;
  readonly clouds: number;
  /** Minimum and maximum number of weak classifiers of a true committee. */
  readonly least: number;
  readonly most: number;
}

/** Points labelled by a known committee of stumps. */
export interface OracleProblem {
  /** T*: the number of stumps of the true committee. */
  readonly trueRounds: number;
  readonly features: Matrix;
  /** 1 if the committee's weighted vote is positive, otherwise 0. */
  readonly labels: Int32Array;
}

/** A stump of the true committee: it votes 1 if direction · x[feature] ≤ direction · threshold, else −1 (eq. 3.3). */
interface TrueStump {
  readonly feature: number;
  readonly threshold: number;
  readonly direction: 1 | -1;
  readonly weight: number;
}

/**
 * Thresholds are uniform on ± this value. The thesis only says "from uniform distributions". Coordinates are normal
 * around ±½ with variance 1, so every threshold within ±1 separates points, and both labels are about equally frequent,
 * as in the thesis.
 */
const LARGEST_THRESHOLD = 1;

/**
 * Makes an oracle problem for AdaBoost (thesis, §5.1.1): normal points in four clouds, each shifted by its own vector of
 * coordinates ±½, labelled by a committee of T* random stumps with random positive weights, T* uniform on `least` … `most`.
 */
export function oracleProblem(random: Random, sizes: OracleSizes): OracleProblem {
  const features = cloudsOf(random, sizes);
  const trueRounds = sizes.least + random.integer(sizes.most - sizes.least + 1);
  const committee = Array.from({ length: trueRounds }, () => trueStump(random, sizes.features));
  return { trueRounds, features, labels: labelsBy(committee, features) };
}

function cloudsOf(random: Random, { points, features, clouds }: OracleSizes): Matrix {
  const centres = distinctCorners(random, clouds, features);
  const values = new Float64Array(points * features);
  for (let i = 0; i < points; i++) {
    const centre = centres[i % clouds];
    for (let j = 0; j < features; j++) values[i * features + j] = random.normal() + centre[j];
  }
  return new Matrix(points, features, values);
}

/** Draws distinct vectors whose coordinates are ±½. */
function distinctCorners(random: Random, count: number, features: number): number[][] {
  const corners = new Map<string, number[]>();
  while (corners.size < count) {
    const corner = Array.from({ length: features }, () => random.integer(2) - 0.5);
    corners.set(corner.join(), corner);
  }
  return [...corners.values()];
}

function trueStump(random: Random, features: number): TrueStump {
  return {
    feature: random.integer(features),
    threshold: LARGEST_THRESHOLD * (2 * random.uniform() - 1),
    direction: random.integer(2) === 0 ? 1 : -1,
    // 1 − u is in (0, 1]: positive. Normalising all weights changes no label.
    weight: 1 - random.uniform(),
  };
}

function labelsBy(committee: readonly TrueStump[], { rows, columns, values }: Matrix): Int32Array {
  const votes = new Float64Array(rows);
  for (const { feature, threshold, direction, weight } of committee) {
    for (let i = 0, k = feature; i < rows; i++, k += columns) {
      votes[i] += direction * (values[k] <= threshold ? weight : -weight);
    }
  }
  return Int32Array.from(votes, (vote) => (vote > 0 ? 1 : 0));
}
