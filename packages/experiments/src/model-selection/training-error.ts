import { adaboost } from "@vouch/core/internal/learners/adaboost/adaboost";
import { countErrors } from "@vouch/core/internal/learners/training-summary";
import { Matrix } from "@vouch/core/internal/runtime/maths/matrix";
import { mean, standardDeviation } from "@vouch/core/internal/runtime/maths/statistics";
import { checkpoint } from "@vouch/core/internal/runtime/parallel/run";
import {
  formatCount,
  formatNumber,
  formatRoundPercent,
} from "@vouch/core/internal/runtime/text/number-format";
import { trainingErrorBounds } from "@vouch/core/internal/theory/boosting/boosting";
import type { TrainTestSplit } from "@vouch/core/internal/validation/trial";
import * as z from "zod";
import { absenceNote, availableSets, binarySets } from "../datasets.js";
import { dividedSet, fitDivision } from "../divisions.js";
import { defineExperiment, type ExperimentRun, partsOf, type Scale } from "../experiment.js";
import { fractionCell, markdownTable } from "../markdown-table.js";
import { papers } from "../papers.js";

/** The size of the experiment. */
interface Sizes {
  /** Numbers of rounds to show, ascending. */
  readonly rounds: readonly number[];
  /** Random splits of each data set without an official one. */
  readonly splits: number;
}

const sizes: Readonly<Record<Scale, Sizes>> = {
  quick: { rounds: [1, 10, 50, 100, 200], splits: 5 },
  paper: { rounds: [1, 10, 50, 100, 200, 500], splits: 20 },
};

/** Share of the held-out rows of a random split. */
const HELD_OUT = 0.2;

/** Relative rounding error of each side of the theorem, which is a product of hundreds of factors. */
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
  /** Number of rounds of all splits in which the theorem was checked, and in which it failed. */
  checked: z.int().min(1),
  violations: z.int().min(0),
  rounds: z.array(roundSchema),
});

/** The results on one data set. */
type BoostingErrors = z.infer<typeof setSchema>;

/** Theorem 3.1 on data sets with two classes. */
export const trainingError = defineExperiment({
  name: "model-selection/training-error",
  paper: papers.thesis.citation,
  shows:
    "Theorem 3.1: the training error of AdaBoost with stumps after each round is at most ∏ √(1 − 4γ²) ≤ exp(−2 Σ γ²), where γ is the edge of the stump over random guessing.",
  cost: {
    quick: "2 data sets, 200 rounds, 5 splits: about a second",
    paper: "all locally available data sets with two classes, 500 rounds, 20 splits: about 10 seconds",
  },
  data: z.strictObject({
    heldOutShare: share,
    sets: z.array(setSchema),
    /** Data sets that are not available locally. */
    absent: z.array(z.string()),
  }),
  async measure(run) {
    const { present, absent } = await availableSets(await binarySets(), run.scale);
    const sets = await partsOf(run, present, setSchema, (name) =>
      boostingErrors(name, sizes[run.scale], run),
    );
    return { heldOutShare: HELD_OUT, sets, absent };
  },
  tables({ heldOutShare, sets, absent }) {
    return [...sets.map((set) => setTable(set, heldOutShare)), ...absenceNote(absent)].join("\n\n");
  },
});

/** Boosts a data set on its official split, or on random ones, and averages. */
export async function boostingErrors(
  name: string,
  sizes: Sizes,
  run: ExperimentRun,
): Promise<BoostingErrors> {
  const { division, training, test, split } = await dividedSet(name, run, HELD_OUT);
  const splits = split === "official" ? 1 : sizes.splits;
  const curves: Curve[] = [];
  for (let k = 0; k < splits; k++) {
    const part = `${name}, split ${k + 1} of ${splits}`;
    curves.push(await curveOf(division(run.seed, k), sizes.rounds, part, run));
  }
  return {
    dataset: name,
    rows: training + test,
    split,
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

/** Errors and bounds after some round. */
interface Point {
  readonly trainingError: number;
  readonly product: number;
  readonly exponential: number;
  readonly heldOutError: number;
}

/** A committee from round to round. */
interface Curve {
  /** One for each number of rounds to show; the last round if boosting ended earlier. */
  readonly points: readonly Point[];
  readonly checked: number;
  readonly violations: number;
}

async function curveOf(
  division: TrainTestSplit,
  shown: readonly number[],
  part: string,
  run: ExperimentRun,
): Promise<Curve> {
  const { model, test } = await fitDivision(adaboost({ rounds: Math.max(...shown) }), division, part, run);
  const { features, labels, rows } = test;
  if (!(features instanceof Matrix)) throw new Error("Stumps take matrices.");
  const products = trainingErrorBounds(
    model.rounds.map(({ error }) => error),
    model.trainingClasses,
  );
  const points: Point[] = [];
  let exponent = 0;
  for (const predictions of model.stagedPredictions?.(features) ?? []) {
    await checkpoint(run);
    const { error, trainingError } = model.rounds[points.length];
    exponent -= 2 * (0.5 - error) ** 2;
    points.push({
      trainingError,
      product: products[points.length],
      exponential: Math.exp(exponent),
      heldOutError: countErrors(predictions, labels) / rows,
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

function meanOf(round: number, points: readonly Point[]): BoostingErrors["rounds"][number] {
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
  { dataset, rows, split, splits, checked, violations, rounds }: BoostingErrors,
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
