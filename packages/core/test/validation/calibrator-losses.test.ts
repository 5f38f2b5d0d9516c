import { describe, expect, it } from "vitest";
import type { ConvexFunction } from "#core/runtime/maths/projected-newton.js";
import { Random } from "#core/runtime/maths/random.js";
import { wasmMemory } from "#core/runtime/wasm/wasm-memory.js";
import {
  BinaryLogLoss,
  type LabelledScores,
  TemperatureLogLoss,
  VectorLogLoss,
} from "#core/validation/calibrator-losses.js";

const ROWS = 131;
const sum = (values: Iterable<number>) => Array.from(values).reduce((total, value) => total + value, 0);

/** Weights of which about a fifth are 0. */
function someWeights(random: Random, rows: number): Float64Array {
  return Float64Array.from({ length: rows }, () => (random.uniform() < 0.2 ? 0 : 0.3 + random.uniform()));
}

function labelledScores(classes: number): LabelledScores {
  const random = new Random(classes);
  return {
    classes,
    logScores: Float64Array.from({ length: ROWS * classes }, () => 2 * random.normal()),
    labels: Int32Array.from({ length: ROWS }, () => random.integer(classes)),
    weights: someWeights(random, ROWS),
    others: Float64Array.from({ length: classes }, () => (0.2 * random.uniform()) / classes),
  };
}

/** The mean of −Σ_k t_k ln p_k, with p = softmax(logit), by definition. */
function meanLogLoss(
  { classes, logScores, labels, weights, others }: LabelledScores,
  logit: (score: number, k: number) => number,
): number {
  const losses = Array.from(labels, (label, i) => {
    const logits = Array.from(logScores.subarray(i * classes, (i + 1) * classes), logit);
    const logSum = Math.log(sum(logits.map(Math.exp)));
    const target = (k: number) => (k === label ? 1 - (classes - 1) * others[label] : others[label]);
    return -weights[i] * sum(logits.map((l, k) => target(k) * (l - logSum)));
  });
  return sum(losses) / sum(weights);
}

/** Compares gradient and Hessian with differences of values and of gradients. */
function expectDerivatives(loss: ConvexFunction, at: Float64Array): void {
  const { gradient, hessian } = loss.derivatives(at);
  const step = 1e-5;
  const moved = (j: number, by: number) => at.map((x, k) => (k === j ? x + by : x));
  for (let j = 0; j < at.length; j++) {
    const slope = (loss.value(moved(j, step)) - loss.value(moved(j, -step))) / (2 * step);
    expect(gradient[j]).toBeCloseTo(slope, 8);
    const above = loss.derivatives(moved(j, step)).gradient;
    const below = loss.derivatives(moved(j, -step)).gradient;
    for (let k = 0; k < at.length; k++) {
      expect(hessian[j * at.length + k]).toBeCloseTo((above[k] - below[k]) / (2 * step), 8);
      expect(hessian[j * at.length + k]).toBe(hessian[k * at.length + j]);
    }
  }
}

describe.each([2, 3, 7, 26])("losses of %i classes", (classes) => {
  const rows = labelledScores(classes);
  const random = new Random(classes + 100);

  it("of a temperature equal the formula, and have its derivatives", () => {
    const loss = new TemperatureLogLoss(rows);
    try {
      for (const x of [0, 0.4, 1, 3]) {
        const expected = meanLogLoss(rows, (score) => x * score);
        expect(loss.value(Float64Array.of(x))).toBeCloseTo(expected, 12);
        expectDerivatives(loss, Float64Array.of(x));
      }
    } finally {
      loss.release();
    }
  });

  it("of vector scaling equal the formula, and have its derivatives", () => {
    const loss = new VectorLogLoss(rows);
    try {
      const at = Float64Array.from(
        { length: 2 * classes },
        (_, j) => Number(j < classes) + random.normal() / 3,
      );
      const penalty = sum(at.map((x, j) => (j < classes ? x - 1 : x) ** 2)) / 2 / sum(rows.weights);
      const expected = meanLogLoss(rows, (score, k) => at[k] * score + at[classes + k]);
      expect(loss.value(at)).toBeCloseTo(penalty + expected, 12);
      expectDerivatives(loss, at);
    } finally {
      loss.release();
    }
  });

  it("do not depend on rows of weight 0", () => {
    const kept = Array.from(rows.weights.keys()).filter((i) => rows.weights[i] > 0);
    expect(kept.length).toBeLessThan(ROWS);
    const logScores = kept.flatMap((i) =>
      Array.from(rows.logScores.subarray(i * classes, (i + 1) * classes)),
    );
    const losses = [
      rows,
      {
        ...rows,
        logScores: Float64Array.from(logScores),
        labels: Int32Array.from(kept, (i) => rows.labels[i]),
        weights: Float64Array.from(kept, (i) => rows.weights[i]),
      },
    ].map((own) => new VectorLogLoss(own));
    try {
      const at = new Float64Array(2 * classes).fill(0.7);
      const [all, fewer] = losses.map((loss) => loss.derivatives(at));
      for (const [j, slope] of all.gradient.entries()) expect(slope).toBeCloseTo(fewer.gradient[j], 14);
      for (const [j, bend] of all.hessian.entries()) expect(bend).toBeCloseTo(fewer.hessian[j], 14);
    } finally {
      for (const loss of losses) loss.release();
    }
  });
});

it.each([
  [1, 130],
  [2, 131],
  [3, 7],
])(
  "a loss of one event equals the formula of %i columns and %i rows, and has its derivatives",
  (size, count) => {
    const random = new Random(count);
    const vector = () => Float64Array.from({ length: count }, () => random.normal());
    const columns = Array.from({ length: size }, vector);
    const targets = vector().map(() => random.uniform());
    const weights = someWeights(random, count);
    const before = wasmMemory().used;
    const loss = new BinaryLogLoss({ columns, targets, weights });
    try {
      const at = Float64Array.from({ length: size }, () => 2 * random.normal());
      const losses = Array.from(targets, (target, i) => {
        const logit = sum(columns.map((column, j) => at[j] * column[i]));
        return weights[i] * (Math.log1p(Math.exp(logit)) - target * logit);
      });
      expect(loss.value(at)).toBeCloseTo(sum(losses) / sum(weights), 13);
      expectDerivatives(loss, at);
    } finally {
      loss.release();
    }
    expect(wasmMemory().used).toBe(before);
  },
);

it("keeps its digits where a class is almost certain", () => {
  // Two classes with logits ±400: the loss of the wrong one is 800.
  const loss = new TemperatureLogLoss({
    classes: 2,
    logScores: Float64Array.of(400, -400, 400, -400),
    labels: Int32Array.of(0, 1),
    weights: Float64Array.of(1, 1),
    others: Float64Array.of(0, 0),
  });
  try {
    expect(loss.value(Float64Array.of(1))).toBe(400);
    expect(loss.value(Float64Array.of(0))).toBeCloseTo(Math.LN2, 15);
    expect(loss.derivatives(Float64Array.of(1)).gradient[0]).toBe(400);
  } finally {
    loss.release();
  }
});
