import { type Criterion, choiceOf, criterionNamed, type Run, select } from "vouch";
import type { Random } from "vouch/learning";
import { type Evidence, type FittedFacts, TrialRows, tryLearners } from "vouch/select";
import * as z from "zod";
import {
  ARCHITECTURES,
  type DigitPair,
  type NetworkTraining,
  networkLearner,
  networkProblem,
} from "./oracle-network.js";
import { thesisSrm } from "./oracle-trial.js";
import { modifiedVcDimension } from "./table-5-2.js";

/** Makes a criterion use the VC dimension behind Table 5.2: with that of Theorem 4.1 all bounds are infinite. */
function byModifiedEstimate(criterion: Criterion): Criterion {
  const estimated = (fitted: FittedFacts): FittedFacts => {
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

/** The criteria by their names in the figure, those of Figure 5.2 first. */
export const networkCriteria: readonly Criterion[] = [
  thesisSrm(byModifiedEstimate(criterionNamed("srm"))),
  { ...criterionNamed("cv"), name: "CV" },
  { ...criterionNamed("reconstruction"), name: "layer-by-layer R." },
  { ...byModifiedEstimate(criterionNamed("adjusted-srm")), name: "adjusted SRM, C by holdout" },
  { ...criterionNamed("holdout"), name: "holdout" },
  { ...byModifiedEstimate(criterionNamed("srm")), name: "SRM" },
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

/** Makes a problem from a pair of digits, selects an architecture by each criterion, and measures the test error of each. */
export async function networkTrial(
  pair: DigitPair,
  { folds, ...training }: NetworkTrialSizes,
  random: Random,
  run: Run,
): Promise<NetworkTrial> {
  const problem = await networkProblem(pair, training, random, run);
  const candidates = ARCHITECTURES.map((layers) => networkLearner(layers, training));
  const { rankings } = await select(candidates, problem.training, networkCriteria, { folds, run });
  const trials = await tryLearners(
    candidates,
    new TrialRows({ data: problem.training, test: problem.test }),
    run,
  );
  const calibrated = rankings.find(({ facts }) => facts.C !== undefined);
  return {
    digits: [...pair.digits],
    trainingRows: problem.training.labels.length,
    testRows: problem.test.labels.length,
    truth: ARCHITECTURES.findIndex((layers) => layers.join() === problem.architecture.join()),
    realError: problem.realError,
    errors: trials.map(({ errors, rows }) => errors / rows),
    choices: rankings.map(choiceOf),
    adjustment: calibrated?.facts.C ?? Number.NaN,
  };
}
