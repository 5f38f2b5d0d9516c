import { didYouMean } from "../runtime/text/suggestions.js";
import { VouchError } from "../runtime/vouch-error.js";
import { adjustedSrmCriterion, marginCriterion, srmCriterion } from "./bound-criteria.js";
import { type Criterion, errorEstimate } from "./criterion.js";
import { aicCriterion, bicCriterion } from "./information-criteria.js";
import { reconstructionCriterion } from "./reconstruction.js";

/** Hold-out validation (thesis, §2.1.1): the error on a part of the rows that training does not see. */
const holdoutCriterion: Criterion = {
  name: "holdout",
  summary: "error on a held-out fraction of the rows",
  measures: "error",
  needs: ["holdout"],
  score: (candidates, { objective }) => ({
    scores: candidates.map(({ holdout }) =>
      errorEstimate(
        holdout.map(({ trial }) => trial),
        objective,
      ),
    ),
  }),
};

/** k-fold cross-validation (thesis, §2.1.2, eq. 2.1): every row is tested once, by a model that did not see its fold. */
const kFoldCriterion: Criterion = {
  name: "cv",
  summary: "k-fold cross-validation: error of models on the fold that they were not trained on",
  measures: "error",
  needs: ["folds"],
  score: (candidates, { objective }) => ({
    scores: candidates.map(({ folds }) => errorEstimate(folds, objective)),
  }),
};

/**
 * Leave-one-out cross-validation (thesis, §2.1.3): as many folds, and fits, as rows. Its estimate varies more than with
 * ten folds, and it does not find the true model even with unlimited rows (Shao 1993).
 */
const leaveOneOutCriterion: Criterion = {
  name: "leave-one-out",
  summary: "leave-one-out cross-validation: as many fits as rows",
  measures: "error",
  needs: ["leaveOneOut"],
  score: (candidates, { objective }) => ({
    scores: candidates.map(({ leaveOneOut }) => {
      const { value, terms } = errorEstimate(leaveOneOut, objective);
      const { sd, ...rest } = terms;
      return { value, terms: rest };
    }),
  }),
};

/** All criteria, for the command line and its help. */
export const criteria: readonly Criterion[] = [
  kFoldCriterion,
  holdoutCriterion,
  leaveOneOutCriterion,
  srmCriterion,
  adjustedSrmCriterion,
  marginCriterion,
  aicCriterion,
  bicCriterion,
  reconstructionCriterion,
];

/** Returns the criterion with this name. Throws on unknown names, and suggests the nearest one. */
export function findCriterion(name: string): Criterion {
  const found = criteria.find((criterion) => criterion.name === name);
  if (found) return found;
  const names = criteria.map((criterion) => criterion.name);
  const near = didYouMean(name, names);
  const all = `Criteria are ${names.join(", ")}.`;
  throw new VouchError("option/unknown", `Unknown criterion "${name}".`, {
    hint: near === undefined ? all : `${near} ${all}`,
  });
}
