import { binLike } from "../../encode/bin-matrix.js";
import type { BinnedFeature } from "../../encode/binned-columns.js";
import type { Features } from "../../encode/sample.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import type { KernelExpansion } from "../kernel/kernel-expansion.js";
import type { Model } from "../model.js";
import { belowAll, placeScores } from "../scores.js";
import type { CascadeLevel, Gate, LeafClassifier, Monomial } from "./cascade-level.js";
import { gapOf } from "./class-machines.js";
import { isNear } from "./near-gates.js";

/** How a cascade classifies rows. */
export interface CascadeOutputs {
  /** The scores of each class at the row's leaf; f and −f for two classes. */
  readonly scores: Matrix;
  /** The largest size of a score that is possible for the row. */
  readonly limits: Float64Array;
  /** Index of the level that classifies the row. */
  readonly leaves: Int32Array;
}

/** The part of a level that rows are evaluated by. */
type Evaluable = Pick<CascadeLevel, "classifier" | "gate" | "stay">;

/** A cascade to evaluate; `bins` are those of models that take binned features. */
export interface EvaluableCascade {
  readonly levels: readonly Evaluable[];
  readonly classes: number;
  readonly bins?: readonly BinnedFeature[] | undefined;
}

/** Passes rows from level to level; each is classified by the leaf that it reaches. */
export function evaluateCascade(
  { levels, classes, bins }: EvaluableCascade,
  features: Matrix,
): CascadeOutputs {
  const scores = new Matrix(features.rows, classes);
  const limits = new Float64Array(features.rows);
  const leaves = new Int32Array(features.rows);
  const inputs = new RowInputs(features, bins);
  const reaching: Int32Array[] = [Int32Array.from(limits, (_, row) => row)];
  for (const [k, level] of levels.entries()) {
    const rows = reaching[k] ?? new Int32Array(0);
    const { on, stay, staying } = divide(level, inputs, rows, classes);
    if (level.gate) reaching[k + 1] = on;
    if (level.stay !== undefined) {
      reaching[level.stay] = stay;
      continue;
    }
    stay.forEach((row, i) => {
      scores.row(row).set(staying.row(i));
      limits[row] = limitOf(level.classifier, features.row(row));
      leaves[row] = k;
    });
  }
  return { scores, limits, leaves };
}

/** Rows as the classifiers take them; bins are computed when first needed. */
class RowInputs {
  readonly features: Matrix;
  readonly #bins: readonly BinnedFeature[] | undefined;
  #binned: ReturnType<typeof binLike> | undefined;

  constructor(features: Matrix, bins: readonly BinnedFeature[] | undefined) {
    this.features = features;
    this.#bins = bins;
  }

  /** Returns some rows for a model. */
  forModel(binned: boolean, rows: Int32Array): Features {
    if (!binned) return this.features.select(rows);
    this.#binned ??= binLike(this.features, this.#bins ?? []);
    return this.#binned.select(rows);
  }
}

interface Division {
  readonly stay: Int32Array;
  readonly on: Int32Array;
  /** The scores of the rows that stay; empty if they go to another level. */
  readonly staying: Matrix;
}

/** Divides the rows that reach a level; where its gate needs the scores of its classifier, they are computed once. */
function divide(level: Evaluable, inputs: RowInputs, rows: Int32Array, classes: number): Division {
  const { classifier, gate, stay: elsewhere } = level;
  if (gate?.kind === "near" && classifier) {
    const scores = scoresOf(classifier, inputs, rows, classes);
    const goes = Array.from(rows, (_, i) => isNear(gapOf(scores.row(i)), gate.threshold, gate.edge));
    const staying = scores.select(Int32Array.from(rows.keys()).filter((i) => !goes[i]));
    return { stay: rows.filter((_, i) => !goes[i]), on: rows.filter((_, i) => goes[i]), staying };
  }
  const goes = (row: number) => gate?.kind === "threshold" && passes(gate, inputs.features.row(row));
  const stay = rows.filter((row) => !goes(row));
  const staying =
    classifier && elsewhere === undefined
      ? scoresOf(classifier, inputs, stay, classes)
      : new Matrix(0, classes);
  return { stay, on: rows.filter(goes), staying };
}

/** Computes the scores of some rows. */
function scoresOf(classifier: LeafClassifier, inputs: RowInputs, rows: Int32Array, classes: number): Matrix {
  const { features } = inputs;
  switch (classifier.kind) {
    case "kernel":
      return machineScores([classifier.machine], [0, 1], features.select(rows), classes);
    case "one-vs-rest":
      return machineScores(classifier.machines, classifier.trained, features.select(rows), classes);
    case "constant":
      return classScores(rows, classes, () => classifier.class);
    case "threshold": {
      const { monomial, cut, above, below } = classifier;
      return classScores(rows, classes, (row) =>
        monomialValue(monomial, features.row(row)) > cut ? above : below,
      );
    }
    case "model":
      return modelScores(classifier.model, inputs.forModel(classifier.binned, rows));
  }
}

/** Computes the scores of machines: f and −f of a single one, which distinguishes two classes. */
function machineScores(
  machines: readonly KernelExpansion[],
  trained: readonly number[],
  features: Matrix,
  classes: number,
): Matrix {
  const values = machines.map((machine) => machine.values(features));
  const scores = new Matrix(features.rows, classes);
  const own = new Float64Array(trained.length);
  for (let i = 0; i < features.rows; i++) {
    values.forEach((ofMachine, c) => {
      own[c] = ofMachine[i];
    });
    if (values.length === 1) own[1] = -own[0];
    placeScores(own, trained, scores.row(i), belowAll);
  }
  return scores;
}

/** Gives one class of each row the score 1, and the others −1. */
function classScores(rows: Int32Array, classes: number, classOf: (row: number) => number): Matrix {
  const scores = new Matrix(rows.length, classes);
  scores.values.fill(-1);
  rows.forEach((row, i) => {
    scores.row(i)[classOf(row)] = 1;
  });
  return scores;
}

/** Computes the scores of a model; probabilities are mapped to [−1, 1]. */
export function modelScores(model: Model, features: Features): Matrix {
  const scores = model.scores(features);
  if (model.scoring === "decision") return scores;
  return new Matrix(
    scores.rows,
    scores.columns,
    Float64Array.from(scores.values, (share) => 2 * share - 1),
  );
}

/** Returns whether a row meets the condition of a gate with a monomial. */
function passes(
  { monomial, cut, above }: Extract<Gate, { kind: "threshold" }>,
  row: ArrayLike<number>,
): boolean {
  return monomialValue(monomial, row) > cut === above;
}

/** Multiplies the features of a monomial. */
function monomialValue(monomial: Monomial, row: ArrayLike<number>): number {
  return monomial.reduce((product, feature) => product * row[feature], 1);
}

/** Returns the largest size of a score that is possible for a row; 1 for the decision values of other learners. */
function limitOf(classifier: LeafClassifier | undefined, row: ArrayLike<number>): number {
  if (classifier?.kind === "kernel") return classifier.machine.limit(row);
  if (classifier?.kind !== "one-vs-rest") return 1;
  return Math.max(...classifier.machines.map((machine) => machine.limit(row)));
}

/** Computes the margin in [−1, 1] of each row: half the score of its class minus the best other one, divided by the limit. */
export function cascadeMargins({ scores, limits }: CascadeOutputs, labels: Int32Array): Float64Array {
  return Float64Array.from(labels, (label, i) => {
    const row = scores.row(i);
    const size = limits[i];
    if (size === 0) return 0;
    // A row of an unknown class is wrong by the distance from the boundary.
    const margin = label < 0 ? -gapOf(row) : (row[label] - bestOther(row, label)) / 2;
    return Math.max(-1, Math.min(1, margin / size));
  });
}

/** Returns the largest score of another class. */
export function bestOther(scores: ArrayLike<number>, label: number): number {
  let best = Number.NEGATIVE_INFINITY;
  for (let c = 0; c < scores.length; c++) if (c !== label && scores[c] > best) best = scores[c];
  return best;
}
