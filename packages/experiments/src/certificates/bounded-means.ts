import { boostedTrees } from "@vouch/core/internal/learners/boosted-trees/boosted-trees";
import { forest } from "@vouch/core/internal/learners/forest/forest";
import type { Learner } from "@vouch/core/internal/learners/learner";
import { mean } from "@vouch/core/internal/runtime/maths/statistics";
import { formatCount, formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { type MeanBounds, meanUpperBounds } from "@vouch/core/internal/theory/held-out/bounded-mean";
import { trainClassifier } from "@vouch/core/internal/train/train";
import type { Training } from "@vouch/core/internal/train/training";
import { loadDataset } from "@vouch/datasets";
import * as z from "zod";
import { defineExperiment, type ExperimentRun, partsOf, type Scale } from "../experiment.js";
import { markdownTable } from "../markdown-table.js";

const DATASETS = ["iris", "breastcancer", "ionosphere"];
const LEARNERS = [forest({ trees: 100 }), boostedTrees()];
const HOLDOUTS = [0.1, 0.2, 0.5, 0.8];
/** The hold-out shown in the table. */
const SHOWN = 0.5;
const SEEDS: Readonly<Record<Scale, number>> = { quick: 1, paper: 20 };
const DELTA = 0.05;
/** Allowed excess of the betting bound over Hoeffding's, as a fraction of the range. */
const ALLOWANCE = 0.002;

const rowSchema = z.strictObject({
  learner: z.string(),
  measure: z.enum(["Brier score", "log loss"]),
  holdout: z.number(),
  rows: z.int().min(1),
  seeds: z.int().min(1),
  /** Means of the measured mean and of each bound over the seeds. */
  measured: z.number(),
  hoeffding: z.number(),
  empiricalBernstein: z.number(),
  betting: z.number(),
  /**
   * Number of seeds for which betting exceeds Hoeffding's bound by more than the allowance, and empirical Bernstein's
   * bound.
   */
  aboveHoeffding: z.int().min(0),
  aboveBernstein: z.int().min(0),
});

const partSchema = z.strictObject({ dataset: z.string(), rows: z.array(rowSchema) });

type MeasuredBounds = z.infer<typeof rowSchema>;

/** Three bounds on the Brier score and the log loss of models, on the shipped data sets. */
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
          rows.filter(({ holdout }) => holdout === SHOWN).map((row) => [dataset, ...formatCells(row)]),
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
      const losses: HeldOutLosses[] = [];
      for (let seed = run.seed; seed < run.seed + SEEDS[run.scale]; seed++) {
        const { executor, signal } = run;
        const training = await trainClassifier(table, learner, {
          holdout,
          calibrate: false,
          run: { executor, signal, seed },
        });
        losses.push(lossesOf(training, learner));
      }
      const { brierRange, logLossRange } = losses[0];
      const brier = losses.map((one) => one.brier);
      const logLoss = losses.map((one) => one.logLoss);
      const setting = { learner: learner.name, holdout };
      rows.push({ ...setting, measure: "Brier score", ...compared(brier, brierRange) });
      rows.push({ ...setting, measure: "log loss", ...compared(logLoss, logLossRange) });
    }
  }
  return rows;
}

/** Losses of held-out rows and their ranges. */
interface HeldOutLosses {
  readonly brier: Float64Array;
  readonly brierRange: number;
  readonly logLoss: Float64Array;
  readonly logLossRange: number;
}

function lossesOf({ evidence }: Training, { name }: Learner): HeldOutLosses {
  const { brier, logLoss, brierRange = 1, leastProbability = 1 } = evidence?.losses ?? {};
  if (!brier || !logLoss) throw new VouchError("learner/unsupported", `${name} gives no probabilities.`);
  return { brier, logLoss, brierRange, logLossRange: -Math.log(leastProbability) };
}

/** Computes the three bounds for each sample and averages them. */
function compared(
  samples: readonly Float64Array[],
  high: number,
): Omit<MeasuredBounds, "learner" | "holdout" | "measure"> {
  const bounds = samples.map((values) => meanUpperBounds(values, { low: 0, high }, DELTA));
  const average = (name: keyof MeanBounds) => mean(bounds.map((one) => one[name]));
  const count = (test: (one: MeanBounds) => boolean) => bounds.filter(test).length;
  return {
    rows: samples[0].length,
    seeds: samples.length,
    measured: average("mean"),
    hoeffding: average("hoeffding"),
    empiricalBernstein: average("empiricalBernstein"),
    betting: average("betting"),
    aboveHoeffding: count(({ betting, hoeffding }) => betting > hoeffding + ALLOWANCE * high),
    aboveBernstein: count(({ betting, empiricalBernstein }) => betting > empiricalBernstein),
  };
}

function formatCells(row: MeasuredBounds): string[] {
  const { learner, measure, rows, measured, hoeffding, empiricalBernstein, betting } = row;
  const numbers = [measured, hoeffding, empiricalBernstein].map((value) => value.toFixed(3));
  return [learner, measure, formatNumber(rows), ...numbers, `**${betting.toFixed(3)}**`];
}

/** Counts the comparisons in which betting loses. */
function summary(all: readonly MeasuredBounds[]): string {
  const total = (of: (row: MeasuredBounds) => number) => all.reduce((sum, row) => sum + of(row), 0);
  return `In ${formatCount(
    total(({ seeds }) => seeds),
    "comparison",
  )} (hold-outs of ${HOLDOUTS.join(", ")}), the betting bound is above Hoeffding's by more than ${ALLOWANCE} of the range in ${total(({ aboveHoeffding }) => aboveHoeffding)}, and above empirical Bernstein's in ${total(({ aboveBernstein }) => aboveBernstein)}.`;
}
