import { describe, expect, it } from "vitest";
import { projectedNewton } from "#core/runtime/maths/projected-newton.js";
import { Random } from "#core/runtime/maths/random.js";
import { BinaryLogLoss } from "#core/validation/calibrator-losses.js";
import { pooledScores, type TargetedScores } from "#core/validation/pooled-scores.js";

/** Scores whose events have the probability σ(a·s + b), some of weight 0. */
function targetedScores(rows: number, a: number, b: number): TargetedScores {
  const random = new Random(rows);
  const scores = Float64Array.from({ length: rows }, () => 3 * random.normal());
  const targets = scores.map((s) => (random.uniform() < 1 / (1 + Math.exp(-a * s - b)) ? 1 : 0));
  const weights = scores.map(() => (random.uniform() < 0.1 ? 0 : 0.5 + random.uniform()));
  return { scores, targets, weights };
}

function plattFit(rows: TargetedScores): Float64Array {
  const columns = [rows.scores, rows.scores.map(() => 1)];
  const loss = new BinaryLogLoss({ ...rows, columns });
  try {
    return projectedNewton(loss, Float64Array.of(1, 0), 1);
  } finally {
    loss.release();
  }
}

const total = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0);
const moment = ({ weights, ...rows }: TargetedScores, key: "scores" | "targets") =>
  total(weights.map((weight, i) => weight * rows[key][i]));

describe("pooled scores", () => {
  it("keep all weight, and the weighted sums of scores and targets", () => {
    const rows = targetedScores(20_000, 1.3, -0.4);
    const pooled = pooledScores(rows);
    expect(pooled.weights).toHaveLength(512);
    expect(total(pooled.weights)).toBeCloseTo(total(rows.weights), 8);
    expect(moment(pooled, "scores")).toBeCloseTo(moment(rows, "scores"), 6);
    expect(moment(pooled, "targets")).toBeCloseTo(moment(rows, "targets"), 6);
    expect(pooled.scores.toSorted()).toEqual(pooled.scores);
  });

  it.each([
    [0.5, 0.2],
    [1.3, -0.4],
    [4, 1],
  ])("lead to the same curve σ(%d·s + %d) as all scores, to a small part of its standard error", (a, b) => {
    const rows = targetedScores(20_000, a, b);
    const [fitted, shift] = plattFit(rows);
    const [pooled, pooledShift] = plattFit(pooledScores(rows));
    expect(Math.abs(pooled - fitted)).toBeLessThan(0.002 * a);
    expect(Math.abs(pooledShift - shift)).toBeLessThan(0.002);
  });

  it("are left alone if there are few", () => {
    const rows = targetedScores(1000, 1, 0);
    expect(pooledScores(rows)).toBe(rows);
  });
});
