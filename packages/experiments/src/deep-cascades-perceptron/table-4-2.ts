import { mean } from "@vouch/core/internal/runtime/maths/statistics";
import { formatCount, formatRoundPercent } from "@vouch/core/internal/runtime/text/number-format";
import * as z from "zod";
import { centralInterval, intervalCell, meanInterval } from "../confidence-interval.js";
import { fractionCell, markdownTable } from "../markdown-table.js";
import { type ContenderName, contenderNames, OVERLAP } from "./report-split.js";
import { defineReportTable, type ReportSet, reportPublished } from "./report-table.js";

/** The figure of the report that each learner is compared with. */
const publishedAs: Readonly<Record<ContenderName, "cascade" | "svm" | "perceptron">> = {
  "cascade, as they ran it": "cascade",
  "cascade, as the equations": "cascade",
  SVM: "svm",
  perceptron: "perceptron",
};

/** Lists have one entry per split. */
const figures = z.strictObject({
  name: z.enum(contenderNames),
  errors: z.array(z.number().min(0).max(1)),
  /** Smallest errors of any hyperparameters. */
  bestErrors: z.array(z.number().min(0).max(1)),
  /** Errors of cascades that tie at γ = 1. */
  tied: z.array(z.array(z.number().min(0).max(1))),
  depths: z.array(z.int().min(1)),
});

type Figures = z.infer<typeof figures>;

/** Table 4.2: errors on held-out rows. */
export const table42 = defineReportTable<Figures>({
  number: "4-2",
  shows:
    "Table 4.2: errors of cascades of perceptrons, support vector machines and single perceptrons on the 20% of the rows that were held out.",
  figures,
  figuresOf: (splits) => ({
    name: splits[0].name,
    errors: splits.map(({ test }) => test),
    bestErrors: splits.map(({ bestTest }) => bestTest),
    tied: splits.map(({ tied }) => tied),
    depths: splits.map(({ depth }) => depth),
  }),
  paragraphs: (sets, splits) => [
    `Errors are means over ${formatCount(splits, "random split")}. _Interval of the mean_: Student's, at 95%, corrected for the rows that splits share (Nadeau and Bengio 2003). _95% of the splits_: where the error of a single split lies. The report has a single split: compare its figure with that. _As low_ counts our splits with an error no larger than the published one.`,
    besidePublished(sets),
    "One test row is 0.007, 0.014 and 0.005 of the test rows. Our depth is a mean over the cascades; the published depth belongs to one cascade.",
    ...sets.flatMap(luckNote),
  ],
});

function besidePublished(sets: readonly ReportSet<Figures>[]): string {
  const cells = sets.flatMap(({ dataset, contenders }) => {
    const published = reportPublished.find((row) => row.dataset === dataset);
    return contenders.map(({ name, errors, depths }) => {
      const figure = published?.test[publishedAs[name]] ?? Number.NaN;
      const meant = publishedError(figure, published?.testRows ?? Number.NaN);
      const asLow = errors.filter((error) => isAsLow(error, meant)).length;
      const isCascade = publishedAs[name] === "cascade";
      return [
        dataset,
        name,
        String(figure),
        fractionCell(mean(errors)),
        intervalCell(meanInterval(errors, undefined, OVERLAP), 4),
        intervalCell(centralInterval(errors), 3),
        `${asLow} of ${errors.length}`,
        isCascade ? String(published?.depth) : "",
        isCascade ? mean(depths).toFixed(1) : "",
      ];
    });
  });
  return markdownTable(
    [
      ...["data set", "learner", "published", "error", "interval of the mean", "95% of the splits"],
      ...["as low", "depth, published", "depth"],
    ],
    cells,
  );
}

/**
 * Returns the error behind a published figure: a number of errors divided by the report's number of test rows. Its
 * figures are neither all rounded nor all truncated (8 of 71 is .112, 5 of 140 is .036), and .02 of 140 rows is not a
 * whole number, so the nearest number is taken.
 */
function publishedError(figure: number, testRows: number): number {
  return Math.round(figure * testRows) / testRows;
}

function isAsLow(error: number, published: number): boolean {
  return error <= published + 1e-9;
}

/** The data set whose published error is far below other learners' errors, and whose cascade won a tie. */
const LUCKY = "breastcancer";

/**
 * Describes whether chance explains the published error of the cascade on breastcancer: one split, the best of several,
 * chosen ties.
 */
function luckNote({ dataset, contenders }: ReportSet<Figures>): string[] {
  const row = reportPublished.find((each) => each.dataset === dataset);
  const ran = contenders.find(({ name }) => name === contenderNames[0]);
  if (dataset !== LUCKY || !row || !ran) return [];
  const { errors, bestErrors, tied } = ran;
  const { testRows } = row;
  const published = publishedError(row.test.cascade, testRows);
  const count = Math.round(published * testRows);
  const asLow = (values: readonly number[], limit = published) =>
    wholePercent(values.filter((error) => isAsLow(error, limit)).length / values.length);
  const bestTied = tied.map((each) => Math.min(...each));
  const { low, high } = centralInterval(errors);
  const within = isAsLow(low, published) && isAsLow(published, high);
  const { low: meanLow } = meanInterval(errors, undefined, OVERLAP);
  return [
    `### Is the published ${row.test.cascade} on ${dataset} within the intervals?`,
    [
      `No number of errors in ${testRows} test rows is exactly ${row.test.cascade}: ${count} are ${published.toFixed(4)}, which is taken for the published error, ${count - 1} are ${((count - 1) / testRows).toFixed(4)}.`,
      `${within ? "As the error of a single split it is within" : "Even as the error of a single split it is not within"} the central 95% of ours, ${low.toFixed(4)} to ${high.toFixed(4)}: ${asLow(errors)} of the splits are as low, ${asLow(errors, (count - 1) / testRows)} have at most ${count - 1} errors.`,
      `As a mean it is ${isAsLow(meanLow, published) ? "within" : "below"} the interval, which begins at ${meanLow.toFixed(4)}: it does not tell how good the learner is.`,
      bestOfSplits(errors.filter((error) => isAsLow(error, published)).length / errors.length),
      `If the test rows choose γ, ${asLow(bestErrors)} of the splits are as low (mean error ${fractionCell(mean(bestErrors))}).`,
      `The published cascade was found at γ = 1, where all 2,600 cascades have the same bound up to rounding: it is the winner of a tie. Here ties go to the smallest training error.`,
      `Of the ${tied[0].length} tied cascades with the smallest training error for each depth and fraction, ${asLow(tied.flat())} are as low; if the test rows choose among these, ${asLow(bestTied)} of the splits are (mean error ${fractionCell(mean(bestTied))}).`,
    ].join("\n"),
  ];
}

function bestOfSplits(one: number): string {
  if (one === 0) return "None of our splits is as low, so the best of a few splits would not be either.";
  const needed = one === 1 ? 1 : Math.ceil(Math.log(0.5) / Math.log1p(-one));
  return `The best of ${formatCount(needed, "random split")} is as low with a probability of at least one half.`;
}

function wholePercent(share: number): string {
  return formatRoundPercent(Number(share.toFixed(2)));
}
