import { formatCount, mean, standardDeviation } from "vouch";
import { z } from "zod";
import { absenceNote, availableSets } from "../available-sets.js";
import { defineExperiment, type ExperimentRun, type Scale } from "../experiment.js";
import { fractionCell, markdownTable } from "../markdown-table.js";
import { type ContenderName, contenderNames } from "./contenders.js";
import { report, reportPublished } from "./report.js";
import { reportSplits } from "./report-split.js";

const SPLITS: Readonly<Record<Scale, number>> = { quick: 1, paper: 30 };

/** The figure of the report that a contender stands beside. */
const publishedAs: Readonly<Record<ContenderName, "cascade" | "svm" | "perceptron">> = {
  "cascade, as they ran it": "cascade",
  "cascade, as the equations": "cascade",
  SVM: "svm",
  perceptron: "perceptron",
};

const share = z.number().min(0).max(1);

const setSchema = z.strictObject({
  dataset: z.string(),
  /** Lists have one entry for each split. */
  contenders: z.array(
    z.strictObject({ name: z.enum(contenderNames), errors: z.array(share), depths: z.array(z.int().min(1)) }),
  ),
});

/** The numbers of one data set. */
export type SetTest = z.infer<typeof setSchema>;

/** Table 4.2: errors on rows that took no part. */
export const table42 = defineExperiment({
  name: "deep-cascades-perceptron/table-4-2",
  paper: report,
  shows:
    "Table 4.2: errors of cascades of perceptrons, support vector machines and single perceptrons on the 20 % of the rows that took no part in training.",
  cost: {
    quick: "the shipped data sets, 1 split: a second",
    paper: "3 data sets, 30 splits: some minutes",
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
    const sets: SetTest[] = [];
    for (const name of present) sets.push(await testOn(name, splits, run));
    return { splits, sets, absent };
  },
  tables({ splits, sets, absent }) {
    return [
      `Mean ± standard deviation over ${formatCount(splits, "random split")}. The report has a single split: _as low_ counts our splits with an error of at most the published one.`,
      testTable(sets),
      "One test row is 0.007, 0.014 and 0.005 of the test rows. The published 0.02 on breastcancer was found at γ = 1, where all cascades have the same bound up to rounding: it is the winner of a tie, which here goes to the smallest training error. Mean depth of the cascades; the depth published is that of one cascade.",
      ...absenceNote(absent),
    ].join("\n\n");
  },
});

/** Errors on the test rows of some splits of a data set. */
export async function testOn(dataset: string, splits: number, run: ExperimentRun): Promise<SetTest> {
  const outcomes = await reportSplits(dataset, splits, run);
  return {
    dataset,
    contenders: contenderNames.map((name, i) => ({
      name,
      errors: outcomes.map((contenders) => contenders[i].test),
      depths: outcomes.map((contenders) => contenders[i].depth),
    })),
  };
}

function testTable(sets: readonly SetTest[]): string {
  const cells = sets.flatMap(({ dataset, contenders }) => {
    const published = reportPublished.find((row) => row.dataset === dataset);
    return contenders.map(({ name, errors, depths }) => {
      const figure = published?.test[publishedAs[name]] ?? Number.NaN;
      // Published figures are rounded to three decimals.
      const asLow = errors.filter((error) => error <= figure + 0.0005).length;
      const isCascade = publishedAs[name] === "cascade";
      return [
        dataset,
        name,
        String(figure),
        `${fractionCell(mean(errors))} ± ${fractionCell(standardDeviation(errors))}`,
        `${asLow} of ${errors.length}`,
        isCascade ? String(published?.depth) : "",
        isCascade ? mean(depths).toFixed(1) : "",
      ];
    });
  });
  return markdownTable(
    ["data set", "learner", "published", "error", "as low", "depth, published", "depth"],
    cells,
  );
}
