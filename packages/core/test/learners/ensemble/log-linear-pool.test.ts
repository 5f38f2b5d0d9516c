import { describe, expect, it } from "vitest";
import { logistic } from "vouch";
import { Sample } from "#core/encode/sample.js";
import { fitLogLinearPool, PoolLoss } from "#core/learners/ensemble/log-linear-pool.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { drawnMembers } from "./out-of-fold-draws.js";

const everyRow = (rows: number) => Int32Array.from({ length: rows }, (_, i) => i);

function lossOf(drawn: ReturnType<typeof drawnMembers>, ridge = 1) {
  const { probabilities, labels, classes } = drawn;
  return new PoolLoss(probabilities, labels, classes, everyRow(labels.length), { ridge });
}

describe("the loss of a log-linear pool", () => {
  const drawn = drawnMembers(3, 25, 4, 1);
  const random = new Random(2);
  const point = () => Float64Array.from({ length: 7 }, () => random.normal());

  it("has the value of its definition", () => {
    const { probabilities, labels, classes } = drawn;
    const at = point();
    const expected = labels.reduce((sum, label, i) => {
      const scores = Array.from({ length: classes }, (_, k) =>
        probabilities.reduce((score, own, m) => score + at[m] * Math.log(own[i * classes + k]), at[3 + k]),
      );
      const total = scores.reduce((all, score) => all + Math.exp(score), 0);
      return sum - Math.log(Math.exp(scores[label]) / total);
    }, 0);
    const penalty = at.reduce((sum, x, j) => sum + (x - (j < 3 ? 1 / 3 : 0)) ** 2, 0) / (2 * labels.length);
    expect(lossOf(drawn).value(at)).toBeCloseTo(expected / labels.length + penalty, 9);
  });

  it("has the derivatives of finite differences", () => {
    const loss = lossOf(drawn);
    const at = point();
    const { gradient, hessian } = loss.derivatives(at);
    const step = 1e-5;
    const moved = (j: number, by: number) => at.map((x, i) => (i === j ? x + by : x));
    for (let j = 0; j < at.length; j++) {
      expect(gradient[j]).toBeCloseTo(
        (loss.value(moved(j, step)) - loss.value(moved(j, -step))) / (2 * step),
        7,
      );
      const above = loss.derivatives(moved(j, step)).gradient;
      const below = loss.derivatives(moved(j, -step)).gradient;
      for (let i = 0; i < at.length; i++) {
        expect(hessian[i * at.length + j]).toBeCloseTo((above[i] - below[i]) / (2 * step), 6);
      }
    }
  });

  it("is convex along every line", () => {
    const loss = lossOf(drawn, 0);
    for (let trial = 0; trial < 50; trial++) {
      const [a, b] = [point(), point()];
      const between = a.map((x, j) => (x + b[j]) / 2);
      expect(loss.value(between)).toBeLessThanOrEqual((loss.value(a) + loss.value(b)) / 2 + 1e-12);
    }
  });
});

describe("fitLogLinearPool", () => {
  it("meets the conditions of a minimum with weights at or above zero", () => {
    for (let seed = 0; seed < 6; seed++) {
      const drawn = drawnMembers(5, 300, 3, seed);
      const { probabilities, labels, classes } = drawn;
      // The last member is wrong on purpose: its weight would be negative.
      probabilities[4] = probabilities[4].map((_, i) =>
        i % classes === labels[Math.floor(i / classes)] ? 0.2 : 0.4,
      );
      const { weights, offsets } = fitLogLinearPool(probabilities, labels, classes);
      const { gradient } = lossOf(drawn).derivatives(Float64Array.of(...weights, ...offsets));
      for (const [m, weight] of weights.entries()) {
        if (weight > 0) expect(Math.abs(gradient[m])).toBeLessThan(1e-5);
        else expect(gradient[m]).toBeGreaterThan(0);
      }
      expect(weights[4]).toBe(0);
      for (let k = 0; k < classes; k++) expect(Math.abs(gradient[5 + k])).toBeLessThan(1e-5);
      expect(offsets.reduce((sum, offset) => sum + offset, 0)).toBeCloseTo(0, 12);
    }
  });

  it("of two classes is logistic regression on the log-odds of the members", async () => {
    const drawn = drawnMembers(2, 400, 2, 3);
    const { probabilities, labels } = drawn;
    const odds = Array.from(labels, (_, i) =>
      probabilities.map((own) => Math.log(own[2 * i] / own[2 * i + 1])),
    );
    const { weights, offsets } = fitLogLinearPool(probabilities, labels, 2, { ridge: 1e-6 });
    const sample = new Sample({ features: Matrix.from(odds), labels, classes: ["first", "second"] });
    const model = await logistic({ penalty: "none" }).fit(sample);
    const scores = model.scores(sample.features);
    for (let i = 0; i < labels.length; i++) {
      const logit = weights[0] * odds[i][0] + weights[1] * odds[i][1] + offsets[0] - offsets[1];
      expect(1 / (1 + Math.exp(-logit))).toBeCloseTo(scores.row(i)[0], 3);
    }
  });

  it("gives equal members equal weights, and shrinks to 1/M with a strong penalty", () => {
    const { probabilities, labels, classes } = drawnMembers(1, 100, 3, 7);
    const [a, b] = fitLogLinearPool([probabilities[0], probabilities[0]], labels, classes).weights;
    expect(a).toBeCloseTo(b, 6);
    const other = drawnMembers(4, 100, 3, 8);
    const shrunk = fitLogLinearPool(other.probabilities, other.labels, 3, { ridge: 1e9 });
    for (const weight of shrunk.weights) expect(weight).toBeCloseTo(0.25, 5);
    for (const offset of shrunk.offsets) expect(offset).toBeCloseTo(0, 5);
  });
});
