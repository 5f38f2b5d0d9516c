import { didYouMean } from "../runtime/names.js";
import { VouchError } from "../runtime/vouch-error.js";
import { adjustedSrmCriterion, marginCriterion, srmCriterion } from "./bound-criteria.js";
import { type Criterion, errorEstimate } from "./criterion.js";
import { aicCriterion, bicCriterion } from "./information-criteria.js";
import { reconstructionCriterion } from "./reconstruction.js";

/** Holdout validation (thesis, §2.1.1): the error on a part of the rows that training does not see. */
const holdoutCriterion: Criterion = {
  name: "holdout",
  summary: "error on a share of the rows that is kept from training",
  measures: "error",
  needs: ["holdout"],
  score: (candidates) => ({
    scores: candidates.map(({ holdout }) => errorEstimate(holdout.map(({ trial }) => trial))),
  }),
};

/** k-fold cross-validation (thesis, §2.1.2, eq. 2.1): every row is tried once, by a model that did not see its fold. */
const kFoldCriterion: Criterion = {
  name: "cv",
  summary: "k-fold cross-validation: error on each fold of models trained on the others",
  measures: "error",
  needs: ["folds"],
  score: (candidates) => ({ scores: candidates.map(({ folds }) => errorEstimate(folds)) }),
};

/**
 * Leave-one-out cross-validation (thesis, §2.1.3): as many folds as rows. It takes as many fits, its estimate varies
 * more than that of ten folds, and it does not find the true model however many rows there are (Shao 1993).
 */
const leaveOneOutCriterion: Criterion = {
  name: "leave-one-out",
  summary: "error on each row of a model trained on all others: as many fits as rows",
  measures: "error",
  needs: ["leaveOneOut"],
  score: (candidates) => ({
    scores: candidates.map(({ leaveOneOut }) => {
      const { value, terms } = errorEstimate(leaveOneOut);
      return { value, terms: { errors: terms.errors, rows: terms.rows } };
    }),
  }),
};

/** Every criterion that one can choose by, with a name and a summary: the command line and its help know them from here. */
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

/** The criterion of that name; a name that none has is an error that suggests the nearest one. */
export function criterionNamed(name: string): Criterion {
  const found = criteria.find((criterion) => criterion.name === name);
  if (found) return found;
  const names = criteria.map((criterion) => criterion.name);
  const near = didYouMean(name, names);
  const all = `Criteria are ${names.join(", ")}.`;
  throw new VouchError("option/unknown", `There is no criterion "${name}".`, {
    hint: near === undefined ? all : `${near} ${all}`,
  });
}
