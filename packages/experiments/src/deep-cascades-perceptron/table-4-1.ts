import { formatCount, mean, standardDeviation } from "vouch";
import { z } from "zod";
import { absenceNote, availableSets } from "../available-sets.js";
import { defineExperiment, type ExperimentRun, type Scale } from "../experiment.js";
import { fractionCell, markdownTable } from "../markdown-table.js";
import { contenderNames } from "./contenders.js";
import { report, reportPublished } from "./report.js";
import { reportSplits } from "./report-split.js";

const SPLITS: Readonly<Record<Scale, number>> = { quick: 1, paper: 20 };

const share = z.number().min(0).max(1);

const setSchema = z.strictObject({
  dataset: z.string(),
  /** Means over the splits of the mean and the standard deviation of the three folds' errors. */
  contenders: z.array(
    z.strictObject({ name: z.enum(contenderNames), error: share, deviation: z.number().min(0) }),
  ),
});

/** The numbers of one data set. */
export type SetValidation = z.infer<typeof setSchema>;

/** Table 4.1: errors in three-fold cross-validation. */
export const table41 = defineExperiment({
  name: "deep-cascades-perceptron/table-4-1",
  paper: report,
  shows:
    "Table 4.1: errors of cascades of perceptrons and of support vector machines in the cross-validation that chooses γ, or degree and C, on 80 % of the rows.",
  cost: {
    quick: "the shipped data sets, 1 split: a second",
    paper: "3 data sets, 20 splits: about a minute",
  },
  data: z.strictObject({
    splits: z.int().min(1),
    sets: z.array(setSchema),
    /** Data sets that were not on the machine. */
    absent: z.array(z.string()),
  }),
  async measure(run) {
    const splits = SPLITS[run.scale];
    const names = reportPublished.map(({ dataset }) => dataset);
    const { present, absent } = await availableSets(names, run.scale);
    const sets: SetValidation[] = [];
    for (const name of present) sets.push(await validationOn(name, splits, run));
    return { splits, sets, absent };
  },
  tables({ splits, sets, absent }) {
    return [
      `Mean of ${formatCount(splits, "random split")}; ± is the standard deviation over the three folds, in the mean over the splits. The report has a single split.`,
      validationTable(sets),
      `"As they ran it" has the options of the authors' program: two to four levels, degrees that never fall, a gate that is strict, VC complexities on the points of the level. "As the equations" has those of the printed bound: one to four levels, any degrees, a closed gate. The error is that of the best of the values to choose from, so it is a little too good.`,
      ...absenceNote(absent),
    ].join("\n\n");
  },
});

/** Errors in the cross-validations of some splits of a data set. */
export async function validationOn(
  dataset: string,
  splits: number,
  run: ExperimentRun,
): Promise<SetValidation> {
  const outcomes = await reportSplits(dataset, splits, run);
  return {
    dataset,
    contenders: contenderNames.map((name, i) => {
      const folds = outcomes.map((contenders) => contenders[i].validation);
      return { name, error: mean(folds.map(mean)), deviation: mean(folds.map(standardDeviation)) };
    }),
  };
}

function validationTable(sets: readonly SetValidation[]): string {
  const cells = sets.map(({ dataset, contenders }) => {
    const published = reportPublished.find((row) => row.dataset === dataset)?.validation;
    return [
      dataset,
      (published?.cascade ?? []).join(" ± "),
      (published?.svm ?? []).join(" ± "),
      ...contenders.map(({ error, deviation }) => `${fractionCell(error)} ± ${fractionCell(deviation)}`),
    ];
  });
  return markdownTable(["data set", "cascade, published", "SVM, published", ...contenderNames], cells);
}
