import * as real from "../../runtime/maths/portable-math.js";
import { POOLED_FLOOR } from "./log-linear-pool.js";
import { softmaxOfRows } from "./temperature.js";

/** How the probabilities of members become those of the ensemble. */
export interface Pool {
  readonly combine: "average" | "log-linear";
  /** One per member; those of an average sum to one. */
  readonly weights: Float64Array;
  /** The offset of each class in a log-linear pool; empty in an average. */
  readonly offsets: Float64Array;
}

/** Adds up the members of an ensemble, one after the other. */
export class PooledRows {
  readonly #pool: Pool;
  readonly #classes: number;
  readonly #sums: Float64Array;

  constructor(pool: Pool, rows: number, classes: number) {
    this.#pool = pool;
    this.#classes = classes;
    this.#sums = new Float64Array(rows * classes);
  }

  /** Adds the probabilities of a member. */
  add(member: number, probabilities: Float64Array): void {
    const { combine, weights } = this.#pool;
    const weight = weights[member];
    if (weight === 0) return;
    const sums = this.#sums;
    if (combine === "average") {
      for (let i = 0; i < sums.length; i++) sums[i] += weight * probabilities[i];
    } else {
      for (let i = 0; i < sums.length; i++) {
        sums[i] += weight * real.log(Math.max(POOLED_FLOOR, probabilities[i]));
      }
    }
  }

  /** Returns the probabilities of the ensemble; call it once, after the last member. */
  probabilities(): Float64Array {
    const { combine, offsets } = this.#pool;
    const [sums, classes] = [this.#sums, this.#classes];
    if (combine === "average") return sums;
    for (let i = 0; i < sums.length; i++) sums[i] += offsets[i % classes];
    return softmaxOfRows(sums, classes);
  }
}

/** Pools the probabilities of all members, rows × classes each. */
export function pooledProbabilities(
  pool: Pool,
  members: readonly Float64Array[],
  classes: number,
): Float64Array {
  const pooled = new PooledRows(pool, members[0].length / classes, classes);
  for (const [m, probabilities] of members.entries()) pooled.add(m, probabilities);
  return pooled.probabilities();
}

/** Returns the pool of the other members, whose weights share that of the one left out; undefined if there are none. */
export function poolWithout(pool: Pool, member: number): Pool | undefined {
  const total = pool.weights.reduce((sum, weight) => sum + weight, 0);
  const others = total - pool.weights[member];
  if (!(others > 1e-9 * total)) return undefined;
  return {
    ...pool,
    weights: pool.weights.map((weight, m) => (m === member ? 0 : (weight * total) / others)),
  };
}
