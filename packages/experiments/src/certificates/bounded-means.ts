import { loadDataset } from "@vouch/datasets";
import { boostedTrees, forest, formatCount, formatNumber, trainClassifier } from "vouch";
import { mean } from "vouch/select";
import { type MeanBounds, meanUpperBounds } from "vouch/theory";
import { z } from "zod";
import { defineExperiment, type ExperimentRun, partsOf, type Scale } from "../experiment.js";
import { markdownTable } from "../markdown-table.js";

const DATASETS = ["iris", "breastcancer", "ionosphere"];
const LEARNERS = [forest({ trees: 100 }), boostedTrees()];
const HOLDOUTS = [0.1, 0.2, 0.5, 0.8];
/** The hold-out of the table. */
const SHOWN = 0.5;
const SEEDS: Readonly<Record<Scale, number>> = { quick: 1, paper: 20 };
const DELTA = 0.05;
/** The betting bound may be above Hoeffding's by this much of the range, at most. */
const ALLOWANCE = 0.002;

const rowSchema = z.strictObject({
  learner: z.string(),
  measure: z.enum(["Brier score", "log loss"]),
  holdout: z.number(),
  rows: z.int().min(1),
  range: z.number(),
  /** Measured mean and bounds for each seed. */
  bounds: z.array(
    z.strictObject({
      mean: z.number(),
      hoeffding: z.number(),
      empiricalBernstein: z.number(),
      betting: z.number(),
    }),
  ),
});

const partSchema = z.strictObject({ dataset: z.string(), rows: z.array(rowSchema) });

type MeasuredBounds = z.infer<typeof rowSchema>;

/** Three bounds on the Brier score and the log-loss of models, on the shipped data sets. */
export const boundedMeans = defineExperiment({
  name: "certificates/bounded-means",
  paper: "Hoeffding (1963); Maurer and Pontil (2009); Waudby-Smith and Ramdas (2024)",
  shows:
    "Bounds on the Brier score and the clipped log-loss from held-out rows, at δ = 0.05: betting against empirical Bernstein and Hoeffding.",
  cost: {
    quick: "one division of each data set: seconds",
    paper: "20 seeds and 4 hold-outs: about 3 minutes",
  },
  data: z.strictObject({ delta: z.number(), parts: z.array(partSchema) }),
  async measure(run) {
    const parts = await partsOf(run, DATASETS, partSchema, async (dataset) => ({
      dataset,
      rows: await boundsOn(dataset, run),
    }));
    return { delta: DELTA, parts };
  },
  tables({ parts }) {
    const all = parts.flatMap(({ rows }) => rows);
    return [
      summary(all),
      `Means over the seeds, with half of the rows held out:`,
      markdownTable(
        ["data set", "learner", "measure", "rows", "measured", "Hoeffding", "empirical Bernstein", "betting"],
        parts.flatMap(({ dataset, rows }) =>
          rows.filter(({ holdout }) => holdout === SHOWN).map((row) => [dataset, ...cellsOf(row)]),
        ),
      ),
    ].join("\n\n");
  },
});

async function boundsOn(dataset: string, run: ExperimentRun): Promise<MeasuredBounds[]> {
  const { train: table } = await loadDataset(dataset);
  const rows: MeasuredBounds[] = [];
  for (const learner of LEARNERS) {
    for (const holdout of HOLDOUTS) {
      const measured = { "Brier score": [] as MeanBounds[], "log loss": [] as MeanBounds[] };
      const ranges = { "Brier score": 0, "log loss": 0 };
      let heldOutRows = 0;
      for (let seed = run.seed; seed < run.seed + SEEDS[run.scale]; seed++) {
        const { executor, signal } = run;
        const { evidence } = await trainClassifier(table, learner, {
          holdout,
          run: { executor, signal, seed },
        });
        const { brier, logLoss, brierRange = 1, leastProbability = 0 } = evidence?.losses ?? {};
        if (!evidence || !brier || !logLoss) throw new Error(`${learner.name} gives no probabilities.`);
        heldOutRows = brier.length;
        ranges["Brier score"] = brierRange;
        ranges["log loss"] = -Math.log(leastProbability);
        measured["Brier score"].push(meanUpperBounds(brier, { low: 0, high: brierRange }, DELTA));
        measured["log loss"].push(meanUpperBounds(logLoss, { low: 0, high: ranges["log loss"] }, DELTA));
      }
      for (const measure of ["Brier score", "log loss"] as const) {
        const bounds = measured[measure].map((one) => ({ ...one }));
        rows.push({
          learner: learner.name,
          measure,
          holdout,
          rows: heldOutRows,
          range: ranges[measure],
          bounds,
        });
      }
    }
  }
  return rows;
}

function cellsOf({ learner, measure, rows, bounds }: MeasuredBounds): string[] {
  const average = (of: (one: MeasuredBounds["bounds"][number]) => number) => mean(bounds.map(of)).toFixed(3);
  return [
    learner,
    measure,
    formatNumber(rows),
    average((one) => one.mean),
    average((one) => one.hoeffding),
    average((one) => one.empiricalBernstein),
    `**${average((one) => one.betting)}**`,
  ];
}

/** Counts the comparisons in which betting loses. */
function summary(all: readonly MeasuredBounds[]): string {
  const pairs = all.flatMap(({ bounds, range }) => bounds.map((one) => ({ ...one, range })));
  const aboveHoeffding = pairs.filter(
    ({ betting, hoeffding, range }) => betting > hoeffding + ALLOWANCE * range,
  ).length;
  const aboveBernstein = pairs.filter(
    ({ betting, empiricalBernstein }) => betting > empiricalBernstein,
  ).length;
  return `In ${formatCount(pairs.length, "comparison")} (hold-outs of ${HOLDOUTS.join(", ")}), the betting bound is above Hoeffding's by more than ${ALLOWANCE} of the range in ${aboveHoeffding}, and above empirical Bernstein's in ${aboveBernstein}.`;
}
