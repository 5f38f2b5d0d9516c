import { mean, standardDeviation } from "@vouch/core/internal/runtime/maths/statistics";
import { formatCount } from "@vouch/core/internal/runtime/text/number-format";
import * as z from "zod";
import { intervalCell, meanInterval } from "../confidence-interval.js";
import { fractionCell, markdownTable } from "../markdown-table.js";
import { contenderNames, OVERLAP } from "./report-split.js";
import { defineReportTable, type ReportSet, reportPublished } from "./report-table.js";

/** Mean and standard deviation of the three folds' errors, one of each per split. */
const figures = z.strictObject({
  name: z.enum(contenderNames),
  errors: z.array(z.number().min(0).max(1)),
  deviations: z.array(z.number().min(0)),
});

type Figures = z.infer<typeof figures>;

/** Table 4.1: errors in three-fold cross-validation. */
export const table41 = defineReportTable<Figures>({
  number: "4-1",
  shows:
    "Table 4.1: errors of cascades of perceptrons and of support vector machines in the cross-validation that chooses γ, or degree and C, on 80% of the rows.",
  figures,
  figuresOf: (splits) => ({
    name: splits[0].name,
    errors: splits.map(({ validation }) => mean(validation)),
    deviations: splits.map(({ validation }) => standardDeviation(validation)),
  }),
  paragraphs: (sets, splits) => [
    `Errors are means over ${formatCount(splits, "random split")}; ± is the standard deviation over the three folds, averaged over the splits. _95% interval_: Student's, of the mean, corrected for the rows that splits share (Nadeau and Bengio 2003). The report has a single split; _as low_ counts our splits with an error no larger than the published one.`,
    besidePublished(sets),
    `"As they ran it" uses the options of the authors' program: two to four levels, non-decreasing degrees, a gate with strict inequality, VC complexities on the points of the level. "As the equations" uses the options of the printed bound: one to four levels, any degrees, a closed gate. The error comes from the best value in the grid, so it is slightly optimistic.`,
  ],
});

/** The figure of the report that each learner is compared with; the report has no perceptrons. */
const publishedAs = {
  "cascade, as they ran it": "cascade",
  "cascade, as the equations": "cascade",
  SVM: "svm",
  perceptron: undefined,
} as const;

function besidePublished(sets: readonly ReportSet<Figures>[]): string {
  const cells = sets.flatMap(({ dataset, contenders }) => {
    const published = reportPublished.find((row) => row.dataset === dataset)?.validation;
    return contenders.map(({ name, errors, deviations }) => {
      const column = publishedAs[name];
      const [error, deviation] = (column && published?.[column]) ?? [];
      return [
        dataset,
        name,
        error === undefined ? "–" : `${error} ± ${deviation}`,
        `${fractionCell(mean(errors))} ± ${fractionCell(mean(deviations))}`,
        intervalCell(meanInterval(errors, undefined, OVERLAP), 4),
        error === undefined
          ? "–"
          : `${errors.filter((own) => own <= error + 0.0005).length} of ${errors.length}`,
      ];
    });
  });
  return markdownTable(["data set", "learner", "published", "error", "95% interval", "as low"], cells);
}
