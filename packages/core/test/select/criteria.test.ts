import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { adaboost } from "#core/learners/adaboost/adaboost.js";
import { majority } from "#core/learners/majority/majority.js";
import type { Complexity } from "#core/learners/model.js";
import { criteria, findCriterion } from "#core/select/criteria.js";
import type { Evidence } from "#core/select/criterion.js";
import { select } from "#core/select/select.js";
import { Table } from "#core/table/table.js";
import { labelled } from "#core/table/target.js";
import type { TrainingMeasures } from "#core/validation/trial.js";

const settings = { folds: 10, holdout: 0.2, confidence: 0.95, objective: { metric: "error" } as const };

/** A committee of stumps as its training shows it; all its margins are the same. */
function committee(voters: number, errors: number, rows = 600, margin = 0.2): TrainingMeasures {
  const complexity: Complexity = { vote: { voters, vcDimension: 7 }, counts: {} };
  return { rows, errors, complexity, margins: new Array(101).fill(margin) };
}

function family(vcDimension: number, errors: number, rows: number): TrainingMeasures {
  return { rows, errors, complexity: { vcDimension, counts: {} }, margins: new Array(101).fill(0) };
}

const trained = (fitted: TrainingMeasures): Evidence => ({
  training: [fitted],
  holdout: [],
  folds: [],
  leaveOneOut: [],
});
const judge = (name: string, fits: readonly TrainingMeasures[]) =>
  findCriterion(name).score(fits.map(trained), settings).scores;

/** Eq. 3.11 without the training error, written out. */
const equation311 = (T: number, V: number, m: number) =>
  Math.sqrt(
    (32 * (T * (Math.log((Math.E * m) / T) + V * Math.log((Math.E * m) / V)) + Math.log(8 / 0.05))) / m,
  );

describe("srm", () => {
  it("of a vote is eq. 3.11", () => {
    const [score] = judge("srm", [committee(50, 30)]);
    expect(score.value).toBeCloseTo(0.05 + equation311(50, 7, 600), 10);
    expect(score.terms.trainingError).toBe(0.05);
  });

  it("of another family is eq. 2.25", () => {
    const [score] = judge("srm", [family(3, 10, 1000)]);
    const penalty = Math.sqrt((32 * (Math.log(160) + 3 * Math.log((Math.E * 1000) / 3))) / 1000);
    expect(score.value).toBeCloseTo(0.01 + penalty, 10);
  });

  it("is infinite with fewer rows than the dimension or the rounds, and says why", () => {
    const scores = judge("srm", [family(30, 2, 20), committee(30, 2, 20), family(3, 2, 20)]);
    expect(scores.map(({ value }) => value)).toEqual([Infinity, Infinity, expect.any(Number)]);
    expect(scores[0].reason).toContain("fewer than the VC dimension 30");
    expect(scores[1].reason).toContain("30 rounds, more than the 20 rows");
    expect(scores[2].reason).toBeUndefined();
  });

  it("prefers the simplest committee at 600 rows, for any training errors (thesis, §5.2)", () => {
    const values = judge("srm", [committee(10, 180), committee(50, 20), committee(100, 0)]).map(
      ({ value }) => value,
    );
    expect(values[0]).toBeLessThan(values[1]);
    expect(values[1]).toBeLessThan(values[2]);
  });
});

describe("adjusted-srm", () => {
  it("takes the C among 1, ½, …, 2⁻¹⁰ whose choice has the smallest held-out error, by brute force", () => {
    const candidate = fc.record({
      voters: fc.integer({ min: 1, max: 200 }),
      errors: fc.integer({ min: 0, max: 300 }),
      wrong: fc.integer({ min: 0, max: 150 }),
    });
    fc.assert(
      fc.property(fc.array(candidate, { minLength: 1, maxLength: 8 }), (candidates) => {
        const bound = (C: number) =>
          candidates.map(({ voters, errors }) => errors / 600 + C * equation311(voters, 7, 600));
        let best = { C: 0, error: Infinity, distance: Infinity };
        for (let power = 0; power <= 10; power++) {
          const C = 2 ** -power;
          const bounds = bound(C);
          let chosen = 0;
          bounds.forEach((value, c) => {
            if (value < bounds[chosen]) chosen = c;
          });
          const error = candidates[chosen].wrong / 150;
          const distance = Math.abs(bounds[chosen] - error);
          if (error < best.error || (error === best.error && distance < best.distance))
            best = { C, error, distance };
        }
        const evidence = candidates.map(({ voters, errors, wrong }) => {
          const fitted = committee(voters, errors);
          return { ...trained(fitted), holdout: [{ fitted, trial: { rows: 150, errors: wrong } }] };
        });
        expect(findCriterion("adjusted-srm").score(evidence, settings).facts).toEqual({ C: best.C });
      }),
    );
  });

  it("judges the fits to all rows by their training error and C times the complexity", () => {
    const candidates = [5, 40, 120].map((voters, i): Evidence => {
      const trial = { rows: 120, errors: [40, 12, 20][i] };
      const training = [committee(voters, [200, 60, 5][i])];
      const holdout = [{ fitted: committee(voters, [160, 48, 4][i], 480), trial }];
      return { training, holdout, folds: [], leaveOneOut: [] };
    });
    const { scores, facts = {} } = findCriterion("adjusted-srm").score(candidates, settings);
    scores.forEach(({ value, terms }, i) => {
      const error = [200, 60, 5][i] / 600;
      expect(value).toBeCloseTo(error + facts.C * equation311([5, 40, 120][i], 7, 600), 10);
      expect(terms).toMatchObject({ trainingError: error });
    });
    // Only a constant between the extremes chooses the second, which errs least on the rows held out.
    expect(scores[1].value).toBeLessThan(Math.min(scores[0].value, scores[2].value));
    expect(facts.C).toBeLessThan(1);
  });

  it("gives the reason if all bounds are infinite", () => {
    const fitted = family(500, 3, 40);
    const evidence = { ...trained(fitted), holdout: [{ fitted, trial: { rows: 10, errors: 1 } }] };
    const { scores } = findCriterion("adjusted-srm").score([evidence], settings);
    expect(scores[0]).toMatchObject({ value: Infinity, reason: expect.stringContaining("VC dimension 500") });
  });
});

describe("margin", () => {
  it("is Theorem 3.5 at the margin that all rows have", () => {
    const [m, V, theta] = [60_000, 7, 0.6];
    const [score] = judge("margin", [committee(20, 0, m, theta)]);
    const capacity = V * Math.log((Math.E * m) / V);
    const n = Math.ceil((4 / theta ** 2) * Math.log((m * theta ** 2) / (8 * capacity)));
    const bound =
      4 * Math.exp((-n * theta ** 2) / 8) +
      Math.sqrt((32 * (Math.log(n * (n + 1) ** 2) + n * capacity + Math.log(8 / 0.05))) / m);
    expect(score.value).toBeCloseTo(bound, 10);
  });

  it("does not depend on the number of voters, and prefers larger margins", () => {
    const values = judge("margin", [
      committee(10, 0, 60_000, 0.6),
      committee(900, 0, 60_000, 0.6),
      committee(10, 0, 60_000, 0.7),
    ]).map(({ value }) => value);
    expect(values[1]).toBe(values[0]);
    expect(values[2]).toBeLessThan(values[0]);
  });

  it("is infinite if no margin is above the minimum of the theorem: 0.7133 for 600 rows of 12 features", () => {
    const [below, above] = judge("margin", [committee(10, 0, 600, 0.7132), committee(10, 0, 600, 0.7134)]);
    expect(below).toMatchObject({ value: Infinity, reason: expect.stringContaining("0.7133") });
    expect(above.value).toBeLessThan(Infinity);
  });
});

describe("information criteria", () => {
  // 30 rows of a, 60 of b, 10 of c.
  const label = Array.from({ length: 100 }, (_, i) => (i < 30 ? "a" : i < 90 ? "b" : "c"));
  const data = labelled(Table.fromColumns("t", { x: label.map((_, i) => i), label }), "label");
  const logLikelihood = 30 * Math.log(0.3) + 60 * Math.log(0.6) + 10 * Math.log(0.1);

  it("of the majority learner are those of a multinomial with two free parameters", async () => {
    const by = [findCriterion("aic"), findCriterion("bic")];
    const { rankings } = await select([majority()], data, by);
    expect(rankings[0].scores[0].value).toBeCloseTo(-2 * logLikelihood + 2 * 2, 8);
    expect(rankings[1].scores[0].value).toBeCloseTo(-2 * logLikelihood + 2 * Math.log(100), 8);
    expect(rankings[0].scores[0].terms).toMatchObject({ freeParameters: 2 });
  });

  it("do not judge learners that do not maximise a likelihood", async () => {
    const { rankings } = await select([majority(), adaboost()], data, [findCriterion("bic")]);
    expect(rankings[0].refused).toEqual([{ candidate: 1, reason: expect.stringContaining("likelihood") }]);
  });

  it("are infinite, with the reason, if the class of a row has probability 0", () => {
    const fitted = { ...committee(3, 0), logLikelihood: -Infinity };
    expect(judge("aic", [fitted])[0]).toMatchObject({
      value: Infinity,
      reason: expect.stringContaining("probability 0"),
    });
  });
});

describe("the list of criteria", () => {
  it("finds them by name, and suggests one for an unknown name", () => {
    for (const criterion of criteria) expect(findCriterion(criterion.name)).toBe(criterion);
    expect(() => findCriterion("adjusted-smr")).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('Did you mean "adjusted-srm"?') }),
    );
    expect(() => findCriterion("bootstrap")).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(/^Criteria are cv, holdout, /) }),
    );
  });
});
