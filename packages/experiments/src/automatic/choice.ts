import { absenceNote, availableSets } from "../datasets.js";
import { defineExperiment } from "../experiment.js";
import { type ChoiceOnSet, choiceDataSchema } from "./choice-data.js";
import { choiceSets } from "./choice-divisions.js";
import { choicePage } from "./choice-page.js";
import { choicesOn, expertOf } from "./choice-parts.js";

/** The learner that `vouch train` chooses, compared with an expert's choice and with single learners. */
export const automaticChoice = defineExperiment({
  name: "automatic/choice",
  paper: "vouch itself",
  shows:
    "Test errors of the model that `vouch train` chooses within its budget, compared with an expert who cross-validates sixteen models of scikit-learn and XGBoost, and with single learners. The choice depends on the clock, so this table differs between machines.",
  cost: {
    quick: "two splits of two shipped data sets, 5 seconds each, and single learners: about a minute",
    paper:
      "14 data sets with official test rows, five splits of 12 others, 60 seconds each (mnist 10 minutes): about two hours on two cores, and hours for the single learners of at most ten minutes each; --resume FILE keeps finished parts",
  },
  data: choiceDataSchema,
  async measure(run) {
    const { present, absent } = await availableSets(choiceSets[run.scale], run.scale);
    const sets: ChoiceOnSet[] = [];
    for (const name of present) sets.push(await choicesOn(name, run));
    return { sets, absent, expert: await expertOf(sets, run) };
  },
  tables: (data) => [choicePage(data), ...absenceNote(data.absent)].join("\n\n"),
});
