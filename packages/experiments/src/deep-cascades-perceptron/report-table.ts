import type { Json } from "@vouch/core/internal/runtime/codec/state";
import * as z from "zod";
import { absenceNote, availableSets } from "../datasets.js";
import { defineExperiment, type Experiment } from "../experiment.js";
import { papers } from "../papers.js";
import { type ContenderErrors, contenderNames, reportSplits } from "./report-split.js";

/** Tables 4.1 (errors and deviations in cross-validation) and 4.2 (test errors, on one random split). */
export const reportPublished = [
  {
    dataset: "breastcancer",
    testRows: 140,
    validation: { cascade: [0.036, 0.008], svm: [0.027, 0.004] },
    test: { cascade: 0.02, svm: 0.057, perceptron: 0.036 },
    depth: 4,
  },
  {
    dataset: "ionosphere",
    testRows: 71,
    validation: { cascade: [0.071, 0.032], svm: [0.093, 0.033] },
    test: { cascade: 0.126, svm: 0.126, perceptron: 0.112 },
    depth: 2,
  },
  {
    dataset: "german",
    testRows: 200,
    validation: { cascade: [0.321, 0.012], svm: [0.236, 0.006] },
    test: { cascade: 0.26, svm: 0.215, perceptron: 0.235 },
    depth: 2,
  },
] as const;

/** Splits of each data set at scale paper; the report uses one. */
const SPLITS = 100;

/** The results of all learners on a data set. */
export type ReportSet<Figures> = {
  readonly dataset: string;
  /** In the order of `contenderNames`. */
  readonly contenders: Figures[];
};

/** A table of the report: the figures computed from random splits of the data sets, and their layout. */
export interface ReportTable<Figures extends Json> {
  /** Number in the report, as in `4-1`. */
  readonly number: string;
  readonly shows: string;
  /** Schema of the figures of one learner. */
  readonly figures: z.ZodType<Figures>;
  figuresOf(splits: readonly ContenderErrors[]): Figures;
  /** Renders the paragraphs of the page. */
  paragraphs(sets: readonly ReportSet<Figures>[], splits: number): string[];
}

/** Defines the experiment that computes a table of the report. */
export function defineReportTable<Figures extends Json>(table: ReportTable<Figures>): Experiment {
  const { number, shows, figures } = table;
  const setSchema = z.strictObject({ dataset: z.string(), contenders: z.array(figures) });
  return defineExperiment({
    name: `deep-cascades-perceptron/table-${number}`,
    paper: papers.perceptrons.citation,
    shows,
    cost: {
      quick: "the shipped data sets, 1 split: a second",
      paper: `${reportPublished.length} data sets, ${SPLITS} splits: about 6 minutes of processor time`,
    },
    data: z.strictObject({
      splits: z.int().min(1),
      sets: z.array(setSchema),
      /** Data sets that are not available locally. */
      absent: z.array(z.string()),
    }),
    async measure(run) {
      const splits = run.scale === "quick" ? 1 : SPLITS;
      const names = reportPublished.map(({ dataset }) => dataset);
      const { present, absent } = await availableSets(names, run.scale);
      const outcomes = await reportSplits(present, splits, run);
      return { splits, sets: present.map((dataset, k) => reportSet(table, dataset, outcomes[k])), absent };
    },
    tables: ({ splits, sets, absent }) =>
      [...table.paragraphs(sets, splits), ...absenceNote(absent)].join("\n\n"),
  });
}

/** Computes the figures of a data set from several splits. */
function reportSet<Figures extends Json>(
  { figuresOf }: Pick<ReportTable<Figures>, "figuresOf">,
  dataset: string,
  outcomes: readonly (readonly ContenderErrors[])[],
): ReportSet<Figures> {
  return {
    dataset,
    contenders: contenderNames.map((_, i) => figuresOf(outcomes.map((contenders) => contenders[i]))),
  };
}
