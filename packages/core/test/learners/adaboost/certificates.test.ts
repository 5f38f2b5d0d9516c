import { expect, test } from "vitest";
import { binMatrix } from "#core/encode/bin-matrix.js";
import { Sample } from "#core/encode/sample.js";
import { adaboost } from "#core/learners/adaboost/adaboost.js";
import { stumpCommitteeCertificates } from "#core/theory/boosting/boosting.js";
import { logVoteGrowth } from "#core/theory/vc/growth-of-families.js";
import { treeVcDimension } from "#core/theory/vc/vc-dimension.js";
import { noisySample } from "./noisy-sample.js";
import { stumpsOf } from "./voters.js";

const confidence = 0.95;

test("a committee of stumps is certified by its distinct splits", async () => {
  const sample = noisySample(400, 3, 2, 8);
  const model = await adaboost({ rounds: 12 }).fit(sample);
  const wrong = model.predict(sample.features).filter((label, i) => label !== sample.labels[i]).length;
  const stumps = new Set(stumpsOf(model).map(({ split }) => JSON.stringify(split))).size;
  const certificates = model.certificates?.({ confidence }) ?? [];
  expect(certificates.map(({ name }) => name)).toEqual([
    "growth-function-exact",
    "adaboost-vc",
    "adaboost-margin",
  ]);
  const facts = { rows: 400, errors: wrong, features: 3, classes: 2, rounds: 12, stumps, confidence };
  const margins = Array.from(model.training?.margins ?? []);
  expect(certificates).toEqual(stumpCommitteeCertificates({ ...facts, margins }));
  // The same stump drawn twice is one split.
  expect(stumpCommitteeCertificates({ ...facts, margins, stumps: stumps + 1 })[0].value).toBeGreaterThan(
    certificates[0].value,
  );
});

test("for several classes, stumps with other classes are distinct, and only the exact count applies", async () => {
  const sample = noisySample(500, 3, 3, 9);
  const model = await adaboost({ rounds: 8 }).fit(sample);
  const [exact, ...others] = model.certificates?.({ confidence }) ?? [];
  expect(others).toEqual([]);
  const stumps = new Set(
    stumpsOf(model).map(({ split, left, right }) => JSON.stringify([split, left, right])),
  );
  const points = 5 * 500;
  const J = stumps.size;
  let logChoose = 0;
  for (let i = 0; i < J; i++) logChoose += Math.log((3 * (points - 1) * 6 - i) / (i + 1));
  expect(exact.terms["ln Π(m + u)"]).toBeCloseTo(logChoose + logVoteGrowth(points, J, 3), 8);
  expect(exact.terms["ln(choices)"]).toBeCloseTo(Math.log((J + 1) * (J + 2)), 12);
  expect(exact.value).toBeLessThan(0.75);
});

test("a committee of trees on numbers is certified by its rounds and its depth", async () => {
  const sample = noisySample(800, 2, 2, 9);
  const features = binMatrix(sample.features);
  const learner = adaboost({ weakLearner: "tree", depth: 2, rounds: 3 });
  const model = await learner.fit(new Sample({ ...sample, features }));
  const certificates = model.certificates?.({ confidence }) ?? [];
  expect(certificates.map(({ name }) => name)).toEqual([
    "growth-function-exact",
    "adaboost-vc",
    "adaboost-margin",
  ]);
  expect(certificates[0].value).toBeLessThan(0.6);
  const V = treeVcDimension(2, 4);
  expect(model.complexity().vote).toEqual({ voters: 3, vcDimension: V });
  expect(certificates[1].terms).toMatchObject({ T: 3, V });
  expect(learner.growth?.upTo(model, 2).certificates?.({ confidence })).toEqual([]);
  const deep = await adaboost({ weakLearner: "tree", depth: 11, rounds: 1 }).fit(
    new Sample({ ...sample, features }),
  );
  expect(deep.certificates?.({ confidence })).toEqual([]);
  expect(deep.complexity().vote).toBeUndefined();
});

test("a prefix of a model has no certificates", async () => {
  const learner = adaboost({ rounds: 5 });
  const model = await learner.fit(noisySample(60, 3, 2, 9));
  expect(learner.growth?.upTo(model, 3).certificates?.({ confidence })).toEqual([]);
});
