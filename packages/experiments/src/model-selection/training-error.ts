import { listDatasets, loadDataset } from "@vouch/datasets";
import {
  formatCount,
  formatNumber,
  formatRoundPercent,
  holdout,
  type Labelled,
  type LabelledRows,
  labelled,
  labelsFor,
  type Progress,
} from "vouch";
import { checkpoint, Random } from "vouch/learning";
import { mean, standardDeviation } from "vouch/select";
import { trainingErrorBounds } from "vouch/theory";
import { z } from "zod";
import { absenceNote, availableSets } from "../available-sets.js";
import { defineExperiment, type ExperimentRun, partsOf, type Scale } from "../experiment.js";
import { fitAdaBoost } from "../fit-adaboost.js";
import { countErrors, selectRows } from "../labelled-rows.js";
import { fractionCell, markdownTable } from "../markdown-table.js";
import { thesis } from "./thesis.js";

/** How much is measured. */
interface Sizes {
  /** The numbers of rounds to show, ascending. */
  readonly rounds: readonly number[];
  /** Random splits of each set that has no official one. */
  readonly splits: number;
}

const sizes: Readonly<Record<Scale, Sizes>> = {
  quick: { rounds: [1, 10, 50, 100, 200], splits: 5 },
  paper: { rounds: [1, 10, 50, 100, 200, 500], splits: 20 },
};

/** Share of the rows that a random split keeps from training. */
const HELD_OUT = 0.2;

/** Hundreds of factors are multiplied: each side of the theorem is exact up to this share of itself. */
const ROUNDING = 1e-12;

const share = z.number().min(0).max(1);

/** All numbers are means over the splits. */
const roundSchema = z.strictObject({
  round: z.int().min(1),
  trainingError: share,
  /** ∏ √(1 − 4γ_t²). */
  product: z.number().min(0),
  /** exp(−2 Σ γ_t²). */
  exponential: z.number().min(0),
  heldOutError: share,
  /** Standard deviation of the held-out error over the splits. */
  heldOutSd: z.number().min(0),
});

const setSchema = z.strictObject({
  dataset: z.string(),
  rows: z.int(),
  split: z.enum(["official", "random"]),
  splits: z.int().min(1),
  /** Rounds of all splits in which the theorem was checked, and those in which it failed. */
  checked: z.int().min(1),
  violations: z.int().min(0),
  rounds: z.array(roundSchema),
});

/** The numbers of one data set. */
export type SetErrors = z.infer<typeof setSchema>;

/** Theorem 3.1 on the shipped sets with two classes, or on all of the catalogue. */
export const trainingError = defineExperiment({
  name: "model-selection/training-error",
  paper: thesis,
  shows:
    "Theorem 3.1: the training error of AdaBoost with stumps after each round is at most ∏ √(1 − 4γ²) ≤ exp(−2 Σ γ²), where γ is the edge of the stump over random guessing.",
  cost: {
    quick: "2 data sets, 200 rounds, 5 splits: about a second",
    paper: "all locally available data sets with two classes, 500 rounds, 20 splits: about 10 seconds",
  },
  data: z.strictObject({
    heldOutShare: share,
    sets: z.array(setSchema),
    /** Data sets that were not on the machine. */
    absent: z.array(z.string()),
  }),
  async measure(run) {
    const binary = (await listDatasets()).filter(({ entry }) => entry.classes === 2);
    const names = binary.map(({ entry }) => entry.name);
    const { present, absent } = await availableSets(names, run.scale);
    const sets = await partsOf(run, present, setSchema, (name) => errorsOnSet(name, sizes[run.scale], run));
    return { heldOutShare: HELD_OUT, sets, absent };
  },
  tables({ heldOutShare, sets, absent }) {
    return [...sets.map((set) => setTable(set, heldOutShare)), ...absenceNote(absent)].join("\n\n");
  },
});

/** Training rows and rows kept from training. */
interface Division {
  readonly training: Labelled;
  readonly heldOut: Pick<LabelledRows, "features" | "labels">;
}

/** Boosts a data set on its official split, or on random ones, and averages. */
export async function errorsOnSet(name: string, sizes: Sizes, run: ExperimentRun): Promise<SetErrors> {
  const { train, test, entry } = await loadDataset(name, run.signal ? { signal: run.signal } : {});
  const data = labelled(train, entry.target);
  const divisions: Division[] = test
    ? [{ training: data, heldOut: labelsFor(test, data) }]
    : Array.from({ length: sizes.splits }, (_, split) => randomDivision(data, run.seed, split));
  const curves: Curve[] = [];
  for (const division of divisions) {
    const where = `${name}, split ${curves.length + 1} of ${divisions.length}`;
    const progress = (report: Progress) => run.progress({ ...report, stage: `${where}: ${report.stage}` });
    curves.push(await curveOf(division, sizes.rounds, { ...run, progress }));
  }
  return {
    dataset: name,
    rows: train.rows + (test?.rows ?? 0),
    split: test ? "official" : "random",
    splits: curves.length,
    checked: sum(curves.map(({ checked }) => checked)),
    violations: sum(curves.map(({ violations }) => violations)),
    rounds: sizes.rounds.map((round, i) =>
      meanOf(
        round,
        curves.map(({ points }) => points[i]),
      ),
    ),
  };
}

function randomDivision(data: Labelled, seed: number, split: number): Division {
  const { train, test } = holdout(data.labels, HELD_OUT, new Random(seed).fork(split).bits());
  return { training: selectRows(data, train), heldOut: selectRows(data, test) };
}

/** Errors and bounds after some round. */
interface Point {
  readonly trainingError: number;
  readonly product: number;
  readonly exponential: number;
  readonly heldOutError: number;
}

/** One committee as it grew. */
interface Curve {
  /** One for each number of rounds asked for; the last one there is where boosting ended before. */
  readonly points: readonly Point[];
  readonly checked: number;
  readonly violations: number;
}

async function curveOf(
  { training, heldOut }: Division,
  shown: readonly number[],
  run: ExperimentRun,
): Promise<Curve> {
  const { model, encode } = await fitAdaBoost(training, Math.max(...shown), run);
  const products = trainingErrorBounds(
    model.rounds.map(({ error }) => error),
    model.trainingClasses,
  );
  const points: Point[] = [];
  let exponent = 0;
  for (const predictions of model.stagedPredictions?.(encode(heldOut.features)) ?? []) {
    await checkpoint(run);
    const { error, trainingError } = model.rounds[points.length];
    exponent -= 2 * (0.5 - error) ** 2;
    points.push({
      trainingError,
      product: products[points.length],
      exponential: Math.exp(exponent),
      heldOutError: countErrors(predictions, heldOut.labels) / heldOut.labels.length,
    });
  }
  return {
    points: shown.map((round) => points[Math.min(round, points.length) - 1]),
    checked: points.length,
    violations: points.filter((point) => !theoremHolds(point)).length,
  };
}

function theoremHolds({ trainingError, product, exponential }: Point): boolean {
  const most = (bound: number) => bound * (1 + ROUNDING);
  return trainingError <= most(product) && product <= most(exponential);
}

function meanOf(round: number, points: readonly Point[]): SetErrors["rounds"][number] {
  const heldOut = points.map((point) => point.heldOutError);
  return {
    round,
    trainingError: mean(points.map((point) => point.trainingError)),
    product: mean(points.map((point) => point.product)),
    exponential: mean(points.map((point) => point.exponential)),
    heldOutError: mean(heldOut),
    heldOutSd: standardDeviation(heldOut),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function setTable(
  { dataset, rows, split, splits, checked, violations, rounds }: SetErrors,
  heldOutShare: number,
): string {
  const how =
    split === "official"
      ? "official split"
      : `mean of ${splits} random splits, ${formatRoundPercent(heldOutShare)} held out`;
  const titles = ["rounds", "training error", "∏ √(1 − 4γ²)", "exp(−2 Σ γ²)", "held-out error"];
  const cells = rounds.map((point) => [
    String(point.round),
    fractionCell(point.trainingError),
    fractionCell(point.product),
    fractionCell(point.exponential),
    fractionCell(point.heldOutError) + (splits > 1 ? ` ± ${fractionCell(point.heldOutSd)}` : ""),
  ]);
  const verdict = `The theorem holds in ${formatNumber(checked - violations)} of ${formatCount(checked, "round")}.`;
  return `### ${dataset}: ${formatCount(rows, "row")}, ${how}\n\n${markdownTable(titles, cells)}\n\n${verdict}`;
}
