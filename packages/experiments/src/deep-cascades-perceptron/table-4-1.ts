import { formatCount } from "vouch";
import { mean, standardDeviation } from "vouch/select";
import * as z from "zod";
import { fractionCell, markdownTable } from "../markdown-table.js";
import { contenderNames } from "./report-split.js";
import { defineReportTable, type ReportSet, reportPublished } from "./report-table.js";

/** Means over the splits of the mean and the standard deviation of the three folds' errors. */
const figures = z.strictObject({
  name: z.enum(contenderNames),
  error: z.number().min(0).max(1),
  deviation: z.number().min(0),
});

type Figures = z.infer<typeof figures>;

/** Table 4.1: errors in three-fold cross-validation. */
export const table41 = defineReportTable<Figures>({
  number: "4-1",
  shows:
    "Table 4.1: errors of cascades of perceptrons and of support vector machines in the cross-validation that chooses γ, or degree and C, on 80 % of the rows.",
  splits: 20,
  time: "about a minute",
  figures,
  figuresOf(splits) {
    const folds = splits.map(({ validation }) => validation);
    return {
      name: splits[0].name,
      error: mean(folds.map(mean)),
      deviation: mean(folds.map(standardDeviation)),
    };
  },
  paragraphs: (sets, splits) => [
    `Errors are means over ${formatCount(splits, "random split")}; ± is the standard deviation over the three folds, averaged over the splits. The report has a single split.`,
    besidePublished(sets),
    `"As they ran it" uses the options of the authors' program: two to four levels, non-decreasing degrees, a gate with strict inequality, VC complexities on the points of the level. "As the equations" uses those of the printed bound: one to four levels, any degrees, a closed gate. The error is that of the best value in the grid, so it is slightly optimistic.`,
  ],
});

function besidePublished(sets: readonly ReportSet<Figures>[]): string {
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
