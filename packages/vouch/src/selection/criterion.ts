import type { Learner } from "../learning/learner.js";
import type { Evidence, Fitted, Need } from "./evidence.js";

/** What criteria can be told. */
export interface SelectionSettings {
  /** How many folds cross-validation has; at least 2. */
  readonly folds: number;
  /** Share of the rows that are held out; in (0, 1). */
  readonly holdout: number;
  /** The probability with which bounds hold; in (0, 1). */
  readonly confidence: number;
}

/** What a criterion says of one candidate: the smaller, the better. */
export interface Score {
  /** Infinity where the criterion says nothing; never NaN. */
  readonly value: number;
  /** The parts that the value is made of, by name. */
  readonly terms: Readonly<Record<string, number>>;
  /** Why the value is infinite; absent otherwise. */
  readonly reason?: string;
}

/** What a criterion says of all candidates that it can judge, in their order. */
export interface Judgement {
  readonly scores: readonly Score[];
  /** What holds for all scores, by name: a calibrated constant, a threshold. */
  readonly facts?: Readonly<Record<string, number>>;
}

/** A way to choose among candidates. */
export interface Criterion {
  /** As on the command line. */
  readonly name: string;
  /** One line: what it is. */
  readonly summary: string;
  /** What a score is: an estimate of the error, an upper bound of it, or a number that only orders. */
  readonly measures: "error" | "bound" | "order";
  /** The evidence that has to be gathered for it. */
  readonly needs: readonly Need[];
  /**
   * Why it cannot judge models like this, as it follows a colon; undefined if it can. Only asked of criteria that
   * need `training`, before other evidence is gathered; absent if it judges all models.
   */
  refusal?(fitted: Fitted): string | undefined;
  /** Why it cannot judge models of a learner, as it follows a colon, before any is fitted; absent if it judges all. */
  refusalOf?(learner: Learner): string | undefined;
  /** Scores candidates that it has not refused. */
  score(candidates: readonly Evidence[], settings: SelectionSettings): Judgement;
}
