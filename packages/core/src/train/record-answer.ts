import type { Reason, RowReasons } from "../explain/reasons.js";
import type { ScoreUnit } from "../learners/additive.js";
import type { Decision } from "../metrics/decision.js";
import type { ClassifiedTable } from "./classified-table.js";

/** A classifier's answer to a record, with the same fields in programs and from `vouch serve`. */
export interface RecordAnswer {
  /** The predicted class; null if the classifier abstains. */
  readonly prediction: string | null;
  /** Whether the classifier abstains; absent for a classifier that always answers. */
  readonly abstained?: boolean;
  /** Prediction set; absent for a classifier without sets. */
  readonly set?: readonly string[];
  /** The calibrated probability of each class; absent for a model without probabilities. */
  readonly probabilities?: Readonly<Record<string, number>>;
  /** The model's own score of each class, for a model without probabilities. */
  readonly scores?: Readonly<Record<string, number>>;
  /** The columns that contribute most; present if reasons were requested. */
  readonly reasons?: AnswerReasons;
}

/** Why a record gets its answer: score = base + sum of the contributions of all columns. */
export interface AnswerReasons {
  /** The class whose score is explained: the prediction, or the most likely class if the classifier abstains. */
  readonly class: string;
  /** Unit of base, score and contributions, which is not the calibrated probability. */
  readonly unit: ScoreUnit;
  /** Mean score of the background rows. */
  readonly base: number;
  /** Score of the record, before calibration. */
  readonly score: number;
  /** Largest contributions first, regardless of sign. */
  readonly columns: readonly Reason[];
}

/** Facts about a classifier that determine the form of its answers. */
export interface Answering {
  readonly classes: readonly string[];
  readonly decision: Pick<Decision, "abstention">;
}

/** Converts classified rows into answers to records. */
export function recordAnswers(
  { classes, decision }: Answering,
  { predictions, probabilities, scores, sets }: ClassifiedTable,
  reasons?: readonly RowReasons[],
): RecordAnswer[] {
  const abstains = decision.abstention !== undefined;
  const { values, columns } = probabilities ?? scores;
  return predictions.map((prediction, row) => {
    const perClass = byClass(classes, values.subarray(row * columns, (row + 1) * columns));
    return {
      prediction: prediction === "" ? null : prediction,
      ...(abstains && { abstained: prediction === "" }),
      ...(sets && { set: sets[row] }),
      ...(probabilities ? { probabilities: perClass } : { scores: perClass }),
      ...(reasons && { reasons: answerReasons(reasons[row]) }),
    };
  });
}

function byClass(classes: readonly string[], values: ArrayLike<number>): Record<string, number> {
  return Object.fromEntries(classes.map((name, k) => [name, values[k]]));
}

function answerReasons({ of, unit, base, score, reasons }: RowReasons): AnswerReasons {
  return { class: of, unit, base, score, columns: reasons };
}
