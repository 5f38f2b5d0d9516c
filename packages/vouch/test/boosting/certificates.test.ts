import { expect, test } from "vitest";
import { AdaBoostModel, adaboost } from "#vouch/boosting/index.js";
import { stumpCommitteeCertificates } from "#vouch/bounds/stump-certificates.js";
import { noisySample } from "./noisy-sample.js";

const confidence = 0.95;

test("a committee certifies itself by its different questions, also from a file", async () => {
  const sample = noisySample(400, 3, 2, 8);
  const model = await adaboost({ rounds: 12 }).fit(sample);
  const wrong = model.predict(sample.features).filter((label, i) => label !== sample.labels[i]).length;
  const questions = new Set(model.rounds.map(({ split }) => JSON.stringify(split))).size;
  const certificates = model.certificates({ confidence });
  expect(certificates.map(({ name }) => name)).toEqual([
    "growth-function-exact",
    "adaboost-vc",
    "adaboost-margin",
  ]);
  const facts = { rows: 400, errors: wrong, features: 3, rounds: 12, questions, confidence };
  const margins = Array.from(model.training?.margins ?? []);
  expect(certificates).toEqual(stumpCommitteeCertificates({ ...facts, margins }));
  expect(AdaBoostModel.restore(model.toState()).certificates({ confidence })).toEqual(certificates);
  // The same stump drawn twice is one question.
  expect(
    stumpCommitteeCertificates({ ...facts, margins, questions: questions + 1 })[0].value,
  ).toBeGreaterThan(certificates[0].value);
});

test("nothing is certified of several classes, nor of some of the rounds", async () => {
  const several = await adaboost({ rounds: 5 }).fit(noisySample(60, 3, 3, 9));
  expect(several.certificates({ confidence })).toEqual([]);
  const model = await adaboost({ rounds: 5 }).fit(noisySample(60, 3, 2, 9));
  expect(model.after(3).certificates({ confidence })).toEqual([]);
});
