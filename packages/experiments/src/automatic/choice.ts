import { absenceNote } from "../datasets.js";
import { defineExperiment } from "../experiment.js";
import { choiceDataSchema } from "./choice-data.js";
import { choicePage } from "./choice-page.js";
import { choiceParts, measureChoices } from "./choice-parts.js";

/** The learner that `vouch train` chooses, compared with an expert's choice and with single learners. */
export const automaticChoice = defineExperiment({
  name: "automatic/choice",
  paper: "vouch itself",
  shows:
    "Test errors of the model that `vouch train` chooses within its budget, compared with an expert who cross-validates sixteen models of scikit-learn and XGBoost, and with single learners. The choice depends on the clock, so this table differs between machines.",
  cost: {
    quick: "two splits of two shipped data sets, 5 seconds each, and single learners: about a minute",
    paper:
      "14 data sets with official test rows, five splits of 12 others, 60 seconds each (mnist 10 minutes): about two hours on two cores, and hours for the single learners of at most ten minutes each; --resume FILE keeps finished parts, --only race leaves the single learners out",
  },
  data: choiceDataSchema,
  divisible: true,
  measure: measureChoices,
  tables: (data) => [choicePage(data), ...absenceNote(data.absent)].join("\n\n"),
  partsIn: choiceParts,
});
