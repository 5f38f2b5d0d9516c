import { boostedTrees, type Labelled, VouchError } from "vouch";
import { Matrix, Random } from "vouch/learning";
import { type Division, kFold, runTrials } from "vouch/select";
import type { AnsweredRows, ProbableRows } from "vouch/theory";
import type { ExperimentRun } from "../experiment.js";

/** Rows with everything that rules need: probabilities and labels, confidences and wrong answers. */
export interface ScoredRows extends ProbableRows, AnsweredRows {}

/** One division of a data set: rows to fix thresholds, rows to choose by, and rows to judge the choice. */
export interface DividedScores {
  /** Training rows, each scored by a model that did not see it. */
  readonly outOfFold: ScoredRows;
  readonly heldOut: ScoredRows;
  readonly fresh: ScoredRows;
}

/** Numbers of training and of held-out rows; all others are fresh. */
export interface DivisionSizes {
  readonly training: number;
  readonly heldOut: number;
}

const LEARNER = boostedTrees();
const FOLDS = 5;

/** Divides the rows at random, trains on the first part, and scores all: training rows by 5 folds. */
export async function dividedScores(
  data: Labelled,
  { training, heldOut }: DivisionSizes,
  seed: number,
  run: ExperimentRun,
): Promise<DividedScores> {
  const order = new Random(seed).shuffle(Int32Array.from(data.labels.keys()));
  const train = order.subarray(0, training);
  const { folds } = kFold(
    train.map((row) => data.labels[row]),
    FOLDS,
    seed,
  );
  const rowsOf = (places: Int32Array) => places.map((place) => train[place]);
  const divisions: Division[] = [
    { data, train, test: order.subarray(training) },
    ...folds.map((fold) => ({ data, train: rowsOf(fold.train), test: rowsOf(fold.test) })),
  ];
  const trials = await runTrials(
    [LEARNER],
    divisions,
    `seed ${seed}`,
    { ...run, seed },
    { scores: Infinity },
  );
  const [rest, ...parts] = trials.map(([{ classified }]) => {
    if (!classified) throw new VouchError("learner/unsupported", `${LEARNER.name} gives no scores.`);
    const { scores, labels, predictions } = classified;
    const wrong = Uint8Array.from(labels, (label, row) => (label === predictions[row] ? 0 : 1));
    return { scores, labels, wrong };
  });
  const joined = {
    scores: Float64Array.from(parts.flatMap(({ scores }) => [...scores])),
    labels: Int32Array.from(parts.flatMap(({ labels }) => [...labels])),
    wrong: Uint8Array.from(parts.flatMap(({ wrong }) => [...wrong])),
  };
  const all = order.length - training;
  return {
    outOfFold: scoredRows(joined, 0, training, data.classes.length),
    heldOut: scoredRows(rest, 0, heldOut, data.classes.length),
    fresh: scoredRows(rest, heldOut, all, data.classes.length),
  };
}

interface Classified {
  readonly scores: Float64Array;
  readonly labels: Int32Array;
  readonly wrong: Uint8Array;
}

function scoredRows(
  { scores, labels, wrong }: Classified,
  from: number,
  to: number,
  classes: number,
): ScoredRows {
  const probabilities = new Matrix(to - from, classes, scores.slice(from * classes, to * classes));
  const confidences = Float64Array.from({ length: to - from }, (_, row) =>
    Math.max(...probabilities.row(row)),
  );
  return { probabilities, confidences, labels: labels.slice(from, to), wrong: wrong.slice(from, to) };
}
