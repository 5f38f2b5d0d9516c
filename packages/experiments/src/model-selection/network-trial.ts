import type { Random } from "@vouch/core/internal/runtime/maths/random";
import type { Run } from "@vouch/core/internal/runtime/parallel/run";
import { findCriterion } from "@vouch/core/internal/select/criteria";
import type { Criterion, Evidence } from "@vouch/core/internal/select/criterion";
import { foldsOf } from "@vouch/core/internal/table/row-splits";
import { stratifiedHoldout } from "@vouch/core/internal/table/splits";
import type { Labelled } from "@vouch/core/internal/table/target";
import {
  type TrainingMeasures,
  type TrainTestSplit,
  TrialRows,
  tryLearners,
} from "@vouch/core/internal/validation/trial";
import * as z from "zod";
import {
  ARCHITECTURES,
  type DigitPair,
  type NetworkTraining,
  networkLearner,
  trueNetwork,
} from "./oracle-network.js";
import { thesisSrm } from "./oracle-trial.js";
import { modifiedVcDimension } from "./table-5-2.js";

/**
 * Makes a criterion use the VC dimension behind Table 5.2; with the dimension of Theorem 4.1, all bounds are infinite.
 */
function byModifiedEstimate(criterion: Criterion): Criterion {
  const estimated = (fitted: TrainingMeasures): TrainingMeasures => {
    const { complexity } = fitted;
    const vcDimension = modifiedVcDimension(complexity.counts.parameters);
    return { ...fitted, complexity: { ...complexity, vcDimension } };
  };
  const withEstimates = (evidence: Evidence): Evidence => ({
    ...evidence,
    training: evidence.training.map(estimated),
    holdout: evidence.holdout.map(({ fitted, trial }) => ({ fitted: estimated(fitted), trial })),
  });
  return {
    ...criterion,
    score: (candidates, settings) => criterion.score(candidates.map(withEstimates), settings),
  };
}

/** The criteria by their names in the figure, the criteria of Figure 5.2 first. */
export const networkCriteria: readonly Criterion[] = [
  thesisSrm(byModifiedEstimate(findCriterion("srm"))),
  { ...findCriterion("cv"), name: "CV" },
  { ...findCriterion("reconstruction"), name: "layer-by-layer R." },
  { ...byModifiedEstimate(findCriterion("adjusted-srm")), name: "adjusted SRM, C by holdout" },
  { ...findCriterion("holdout"), name: "holdout" },
  { ...byModifiedEstimate(findCriterion("srm")), name: "SRM" },
];

const share = z.number().min(0).max(1);
const architectureIndex = z
  .int()
  .min(0)
  .max(ARCHITECTURES.length - 1);

/** Schema of the results on one problem. */
export const networkTrialSchema = z.strictObject({
  digits: z.array(z.int().min(0).max(9)).length(2),
  trainingRows: z.int().min(1),
  testRows: z.int().min(1),
  /** Index of the true architecture. */
  truth: architectureIndex,
  /** Error of the true network on the real digits of the test rows. */
  realError: share,
  /** Error on the test rows, for each architecture. */
  errors: z.array(share).length(ARCHITECTURES.length),
  /** The architecture that each criterion chose, in the order of `networkCriteria`. */
  choices: z.array(architectureIndex).length(networkCriteria.length),
  /** C of adjusted SRM, calibrated on this problem. */
  adjustment: z.number(),
});

/** The results on one problem. */
export type NetworkTrial = z.infer<typeof networkTrialSchema>;

/** Training and folds for each problem. */
export interface NetworkTrialSizes extends NetworkTraining {
  readonly folds: number;
}

/** Held-out share of the rows, and the confidence of bounds. */
const HOLDOUT = 0.2;
const CONFIDENCE = 0.95;

const labelText = z.string().regex(/^[01]+$/);

/** Schema of the true network of a problem; labels are one digit per row. */
export const truthSchema = z.strictObject({
  truth: architectureIndex,
  realError: share,
  training: labelText,
  test: labelText,
});

/** The true network of a problem, as it is stored. */
export type Truth = z.infer<typeof truthSchema>;

const counts = { rows: z.int().min(1), errors: z.int().min(0) };

/** Schema of the architectures' results on one split of the rows. */
export const divisionSchema = z.array(
  z.strictObject({
    parameters: z.int(),
    /** On the rows it was fitted to. */
    fitted: z.strictObject(counts),
    /** On the remaining rows. */
    ...counts,
    reconstruction: z.array(z.strictObject({ units: z.int(), error: z.number() })),
  }),
);

/** The results of the architectures on one division of the rows. */
type DivisionResults = z.infer<typeof divisionSchema>;

/** Names the splits of a problem: all training rows and the test rows, the hold-out, and the folds. */
export function divisionNames(folds: number): string[] {
  return ["all rows", "holdout", ...Array.from({ length: folds }, (_, k) => `fold ${k + 1}`)];
}

/** Trains the true network of a problem. */
export async function networkTruth(
  pair: DigitPair,
  sizes: NetworkTrialSizes,
  random: Random,
  run: Run,
): Promise<Truth> {
  const { truth, realError, training, test } = await trueNetwork(pair, sizes, random, run);
  return { truth, realError, training: training.join(""), test: test.join("") };
}

/** Fits all architectures to the training rows of a split, and counts their errors on both parts. */
export async function tryArchitectures(
  pair: DigitPair,
  truth: Truth,
  division: number,
  sizes: NetworkTrialSizes,
  run: Run,
): Promise<DivisionResults> {
  const candidates = ARCHITECTURES.map((layers) => networkLearner(layers, sizes));
  const rows = new TrialRows(divisionOf(pair, truth, division, sizes.folds, run.seed));
  const trials = await tryLearners(candidates, rows, run, { facts: true });
  return trials.map(({ rows, errors, fitted, reconstruction = [] }) => {
    if (!fitted) throw new TypeError("Facts were asked for.");
    return {
      parameters: fitted.complexity.counts.parameters,
      fitted: { rows: fitted.rows, errors: fitted.errors },
      rows,
      errors,
      reconstruction: reconstruction.map(({ units, error }) => ({ units, error })),
    };
  });
}

/** Splits the rows, labelled by the true network, in the order of the names. */
function divisionOf(
  pair: DigitPair,
  truth: Truth,
  division: number,
  folds: number,
  seed: number,
): TrainTestSplit {
  const data = relabelled(pair.training, truth.training);
  if (division === 0) return { data, test: relabelled(pair.test, truth.test) };
  if (division === 1) return { data, ...stratifiedHoldout(data.labels, HOLDOUT, seed) };
  return { data, ...foldsOf(data, folds, seed).folds[division - 2] };
}

function relabelled(from: Labelled, labels: string): Labelled {
  return { ...from, labels: Int32Array.from(labels, Number) };
}

/** Selects an architecture by each criterion from the results of all splits, and reports the test error of each. */
export function networkTrial(
  { digits }: Pick<DigitPair, "digits">,
  { truth, realError, training, test }: Truth,
  divisions: readonly DivisionResults[],
): NetworkTrial {
  const evidence = ARCHITECTURES.map((_, k) => evidenceOf(divisions.map((results) => results[k])));
  const settings = {
    folds: divisions.length - 2,
    holdout: HOLDOUT,
    confidence: CONFIDENCE,
    objective: { metric: "error" },
  } as const;
  const judged = networkCriteria.map((criterion) => criterion.score(evidence, settings));
  const values = judged.map(({ scores }) => scores.map(({ value }) => value));
  return {
    digits: [...digits],
    trainingRows: training.length,
    testRows: test.length,
    truth,
    realError,
    errors: divisions[0].map(({ errors, rows }) => errors / rows),
    choices: values.map((scores) => scores.indexOf(Math.min(...scores))),
    adjustment: judged.find(({ facts }) => facts?.C !== undefined)?.facts?.C ?? Number.NaN,
  };
}

/** Collects the evidence of one architecture. */
function evidenceOf([all, holdout, ...folds]: readonly DivisionResults[number][]): Evidence {
  const fitted = ({ fitted, parameters }: DivisionResults[number]): TrainingMeasures => ({
    ...fitted,
    complexity: { counts: { parameters } },
    margins: [],
  });
  return {
    training: [fitted(all)],
    holdout: [{ fitted: fitted(holdout), trial: holdout }],
    folds,
    leaveOneOut: [],
  };
}
