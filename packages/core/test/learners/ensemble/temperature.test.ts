import { describe, expect, it } from "vitest";
import { fitTemperature, probabilitiesOf } from "#core/learners/ensemble/temperature.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";

describe("fitTemperature", () => {
  it("is the closed form for scores ±s: a share q of right rows has log-odds 2 s / T", () => {
    for (const [right, wrong, s] of [
      [7, 3, 1],
      [90, 10, 0.03],
      [55, 45, 400],
    ]) {
      const labels = Int32Array.from({ length: right + wrong }, (_, i) => (i < right ? 0 : 1));
      const scores = Float64Array.from({ length: 2 * labels.length }, (_, i) => (i % 2 === 0 ? s : -s));
      expect(fitTemperature(scores, labels, 2)).toBeCloseTo((2 * s) / Math.log(right / wrong), 6);
    }
  });

  it("is the minimum of the log-loss on a fine grid", () => {
    const random = new Random(4);
    const classes = 4;
    const labels = Int32Array.from({ length: 80 }, () => random.integer(classes));
    const scores = new Matrix(80, classes);
    for (let i = 0; i < scores.values.length; i++) {
      const isOwn = i % classes === labels[Math.floor(i / classes)];
      scores.values[i] = 3 * random.normal() + (isOwn ? 2 : 0);
    }
    const weights = Float64Array.from(labels, () => random.uniform());
    const loss = (temperature: number) => {
      const probabilities = probabilitiesOf(scores, "decision", temperature);
      return labels.reduce(
        (sum, label, i) => sum - weights[i] * Math.log(probabilities[i * classes + label]),
        0,
      );
    };
    const found = fitTemperature(scores.values, labels, classes, weights);
    for (const factor of [0.9, 0.99, 0.999, 1.001, 1.01, 1.1]) {
      expect(loss(found)).toBeLessThan(loss(found * factor));
    }
  });

  it("scales with the scores, and stays finite where rows are separated or scores say nothing", () => {
    const labels = Int32Array.of(0, 1, 0, 1);
    const scores = Float64Array.of(2, -2, -1, 1, -0.5, 0.5, 3, -3);
    expect(fitTemperature(scores, labels, 2)).toBeGreaterThan(0);
    const mixed = Float64Array.of(2, -2, -1, 1, -0.5, 0.5, -3, 3);
    const temperature = fitTemperature(mixed, labels, 2);
    expect(
      fitTemperature(
        mixed.map((score) => 1000 * score),
        labels,
        2,
      ),
    ).toBeCloseTo(1000 * temperature, 4);
    const separated = Float64Array.of(2, -2, -1, 1, 0.5, -0.5, -3, 3);
    expect(fitTemperature(separated, labels, 2)).toBeGreaterThan(0);
    expect(fitTemperature(new Float64Array(8), labels, 2)).toBe(1);
  });

  it("turns decision values into probabilities, and keeps probabilities", () => {
    const decisions = Matrix.from([
      [1, 3],
      [0, 0],
    ]);
    const [first, second, third, fourth] = probabilitiesOf(decisions, "decision", 2);
    expect(first).toBeCloseTo(1 / (1 + Math.E), 12);
    expect(first + second).toBeCloseTo(1, 12);
    expect([third, fourth]).toEqual([0.5, 0.5]);
    const given = Matrix.from([[0.25, 0.75]]);
    expect([...probabilitiesOf(given, "probability", 9)]).toEqual([0.25, 0.75]);
  });
});
