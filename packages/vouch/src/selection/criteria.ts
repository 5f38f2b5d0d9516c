import { didYouMean } from "../data/nearest-name.js";
import { VouchError } from "../error.js";
import { adjustedSrmCriterion } from "./adjusted-srm.js";
import { aicCriterion } from "./aic.js";
import { bicCriterion } from "./bic.js";
import type { Criterion } from "./criterion.js";
import { holdoutCriterion } from "./holdout.js";
import { kFoldCriterion } from "./k-fold.js";
import { leaveOneOutCriterion } from "./leave-one-out.js";
import { marginCriterion } from "./margin.js";
import { reconstructionCriterion } from "./reconstruction.js";
import { srmCriterion } from "./srm.js";

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
