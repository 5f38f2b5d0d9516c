import type { Json } from "vouch";
import { z } from "zod";
import { absenceNote, availableSets } from "../available-sets.js";
import { defineExperiment, type Experiment, type ExperimentRun, partsOf } from "../experiment.js";
import { contenderNames } from "./contenders.js";
import { report, reportPublished } from "./report.js";
import { type ContenderErrors, reportSplits } from "./report-split.js";

/** How all contenders did on a data set. */
export type ReportSet<Figures> = {
  readonly dataset: string;
  /** In the order of `contenderNames`. */
  readonly contenders: Figures[];
};

/** A table of the report: what it keeps of the random splits of the report's data sets, and how it shows that. */
export interface ReportTable<Figures extends Json> {
  /** Of the report, as in `4-1`. */
  readonly number: string;
  readonly shows: string;
  /** Splits of each data set at scale paper, and how long they take. */
  readonly splits: number;
  readonly time: string;
  /** What is kept of a contender. */
  readonly figures: z.ZodType<Figures>;
  figuresOf(splits: readonly ContenderErrors[]): Figures;
  /** The paragraphs of the page. */
  paragraphs(sets: readonly ReportSet<Figures>[], splits: number): string[];
}

/** The experiment that computes a table of the report. */
export function defineReportTable<Figures extends Json>(table: ReportTable<Figures>): Experiment {
  const { number, shows, splits: most, time, figures } = table;
  const setSchema = z.strictObject({ dataset: z.string(), contenders: z.array(figures) });
  return defineExperiment({
    name: `deep-cascades-perceptron/table-${number}`,
    paper: report,
    shows,
    cost: {
      quick: "the shipped data sets, 1 split: a second",
      paper: `${reportPublished.length} data sets, ${most} splits: ${time}`,
    },
    data: z.strictObject({
      splits: z.int().min(1),
      sets: z.array(setSchema),
      /** Data sets that were not on the machine. */
      absent: z.array(z.string()),
    }),
    async measure(run) {
      const splits = run.scale === "quick" ? 1 : most;
      const names = reportPublished.map(({ dataset }) => dataset);
      const { present, absent } = await availableSets(names, run.scale);
      const sets = await partsOf(run, present, setSchema, (name) => reportSet(table, name, splits, run));
      return { splits, sets, absent };
    },
    tables: ({ splits, sets, absent }) =>
      [...table.paragraphs(sets, splits), ...absenceNote(absent)].join("\n\n"),
  });
}

/** What a table keeps of some splits of a data set. */
export async function reportSet<Figures extends Json>(
  { figuresOf }: Pick<ReportTable<Figures>, "figuresOf">,
  dataset: string,
  splits: number,
  run: ExperimentRun,
): Promise<ReportSet<Figures>> {
  const outcomes = await reportSplits(dataset, splits, run);
  return {
    dataset,
    contenders: contenderNames.map((_, i) => figuresOf(outcomes.map((contenders) => contenders[i]))),
  };
}
