import { describe, expect, it, test } from "vitest";
import { rowValues } from "#core/learners/kernel/kernel-features.js";
import { type PerceptronModel, perceptron } from "#core/learners/perceptron/perceptron.js";
import { sampleCompression } from "#core/theory/compression/sample-compression.js";
import { noisySample } from "../adaboost/noisy-sample.js";

const confidence = 0.95;
const sample = noisySample(250, 4, 2, 3);

/** The rows of the sample that are among the support vectors, in their order. */
function kept(model: PerceptronModel): number[] {
  const support = new Set(
    Array.from({ length: model.machine.support.rows }, (_, s) => rowValues(model.machine.support, s).join()),
  );
  return Array.from({ length: sample.rows }, (_, i) => i).filter((i) =>
    support.has(sample.features.row(i).join()),
  );
}

describe("the rows with a mistake", () => {
  it("alone give the same perceptron", async () => {
    const learner = perceptron({ degree: 3, passes: 5 });
    const model = await learner.fit(sample);
    const rows = kept(model);
    expect(rows).toHaveLength(model.machine.support.rows);
    expect(rows.length).toBeLessThan(sample.rows);
    const again = await learner.fit(sample.select(rows));
    expect(again.machine.coefficients).toEqual(model.machine.coefficients);
    expect(again.predict(sample.features)).toEqual(model.predict(sample.features));
  });

  it("and their places give the averaged perceptron", async () => {
    const passes = 3;
    const model = await perceptron({ degree: 3, passes, averaged: true }).fit(sample);
    const places = kept(model);
    expect(places).toHaveLength(model.machine.support.rows);
    // The kept rows alone, each at its place: a mistake at visit τ of N counts (N − τ)/N.
    const rows = places.map((place) => Array.from(sample.features.row(place)));
    const signs = places.map((place) => (sample.labels[place] === 0 ? 1 : -1));
    const kernel = rows.map((x) =>
      rows.map((y) => (1 + x.reduce((sum, value, k) => sum + value * y[k], 0)) ** 3),
    );
    const alpha = places.map(() => 0);
    const mean = places.map(() => 0);
    const visits = passes * sample.rows;
    for (let pass = 0; pass < passes; pass++) {
      for (let t = 0; t < places.length; t++) {
        const score = alpha.reduce((sum, a, i) => sum + a * signs[i] * kernel[i][t], 0);
        if (signs[t] * score > 0) continue;
        alpha[t]++;
        mean[t] += 1 - (pass * sample.rows + places[t]) / visits;
      }
    }
    mean.forEach((weight, t) => {
      expect(model.machine.coefficients[t]).toBeCloseTo(signs[t] * weight, 9);
    });
  });
});

test("the rows with a mistake certify a perceptron, and so does its dimension", async () => {
  const model = await perceptron({ degree: 2 }).fit(sample);
  const wrong = Array.from(model.predict(sample.features), (label, i) => label !== sample.labels[i]);
  const isKept = new Set(kept(model));
  const otherErrors = wrong.filter((isWrong, i) => isWrong && !isKept.has(i)).length;
  expect(model.compression).toEqual({
    rows: 250,
    errors: wrong.filter(Boolean).length,
    kept: isKept.size,
    otherErrors,
    messages: 1,
  });
  const certificates = model.certificates?.({ confidence }) ?? [];
  expect(certificates.map(({ name }) => name)).toEqual(["compression", "growth-function-exact", "vc"]);
  const byHand = sampleCompression({
    rows: 250,
    kept: isKept.size,
    errors: otherErrors,
    confidence,
    premises: [],
  });
  expect(certificates[0].value).toBe(byHand.value);
  expect(certificates[2].terms.V).toBe(15);
});

test("a file is refused if it has more support vectors than rows, a bias, or more than two classes", async () => {
  const { json, tensors } = (await perceptron().fit(noisySample(30, 2, 2, 5))).toState();
  const { core, parts } = Object(json);
  const refuse = (changed: object) =>
    expect(() => perceptron.restore({ json: { core, parts, ...changed }, tensors })).toThrow(
      expect.objectContaining({ code: "model/corrupt" }),
    );
  const compression = { rows: 1, errors: 0, kept: 2, otherErrors: 0, messages: 1 };
  refuse({ parts: { ...parts, compression } });
  refuse({ parts: { ...parts, machine: { ...parts.machine, bias: 1 } } });
  refuse({ core: { ...core, classes: ["a", "b", "c"] } });
});
