import { describe, expect, test } from "vitest";
import { adaboost } from "#core/learners/adaboost/adaboost.js";
import { sampleOf } from "../small-samples.js";
import { noisySample } from "./noisy-sample.js";

describe("growth", () => {
  test("one fit gives the models of all smaller numbers of rounds", async () => {
    for (const classes of [2, 3]) {
      const sample = noisySample(80, 3, classes, 9);
      const learner = adaboost({ rounds: 25 });
      const model = await learner.fit(sample);
      for (const rounds of [1, 7, 24, 25]) {
        const fitted = await adaboost({ rounds }).fit(sample);
        const grown = learner.growth?.upTo(model, rounds);
        expect(grown).toMatchObject({ rounds: fitted.rounds, stop: fitted.stop });
        expect(grown?.scores(sample.features)).toEqual(fitted.scores(sample.features));
      }
    }
  });

  test("a model that stopped early is the model of any larger number of rounds", async () => {
    const learner = adaboost({ rounds: 50 });
    const model = await learner.fit(sampleOf([[0], [1], [2]], [1, 1, 0]));
    expect(learner.growth?.upTo(model, 20)).toBe(model);
  });

  test("is absent with early stopping, which may find another best round among more", () => {
    expect(adaboost({ patience: 3 }).growth).toBeUndefined();
  });
});
