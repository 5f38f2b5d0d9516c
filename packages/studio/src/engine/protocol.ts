import type { Progress } from "@vouch/core/internal/runtime/parallel/run";
import type { TargetGuess } from "@vouch/core/internal/table/guess-target";
import type { Certificate } from "@vouch/core/internal/theory/certificate";
import type { AbstentionRule } from "@vouch/core/internal/theory/conformal/abstention-rule";
import type { Card } from "@vouch/core/internal/train/card";
import type { ColumnFacts, FormField, Leader, RowAnswer, TrainingFacts, TypedRow } from "@vouch/views/facts";
import type { LearnerFamily } from "../options/learner-families.js";
import type { LearnerForm } from "../options/learner-form.js";
import type { Settings } from "../options/settings.js";
import type { ReadingChoices } from "./reading-choices.js";
import type { TrainingProgress } from "./training-progress.js";

/** Kinds that a user can choose for a column; an ignored column is not read. */
export type ChosenKind = "numeric" | "categorical" | "date" | "text" | "ignored";

/** How to hold out rows: at random, in whole groups, or the latest. */
export type SplitChoice =
  | { readonly by: "random" }
  | { readonly by: "group" | "time"; readonly column: string };

/** The user's choices about the columns of a file. */
export interface DataChoices {
  /** Absent if the user keeps the guess. */
  readonly target?: string;
  /** Merges classes that differ only in case, spaces or a typo. */
  readonly mergeClasses?: boolean;
  /** Kinds of columns by name, if the user changed them. */
  readonly kinds: Readonly<Record<string, ChosenKind>>;
  readonly split: SplitChoice;
  readonly reading?: ReadingChoices;
}

/** A file that the user chose, with its name for messages and the model card. */
export interface NamedFile {
  readonly name: string;
  readonly file: Blob;
  /** Name of an example of the studio; absent for other files. */
  readonly example?: string;
}

/** A fault as the page shows it. */
export interface Fault {
  readonly message: string;
  readonly hint?: string | undefined;
  /** Whether the user stopped the work, which is not an error. */
  readonly stopped?: boolean;
}

/** Maximum number of columns to list; a sparse file may contain a million. */
export const MOST_LISTED = 200;

/** A column as the data step shows it. */
export interface ColumnOverview extends ColumnFacts {
  readonly role: "feature" | "target" | "group" | "time" | "identifier" | "ignored";
  /** Why the column needs attention. */
  readonly warning?: string;
  /** Whether it predicts the class almost alone. */
  readonly isLeak?: boolean;
}

/** Overview of a file after reading. */
export interface DataOverview {
  readonly name: string;
  readonly rows: number;
  readonly target: string;
  /** How the target was guessed; absent if the user chose it. */
  readonly guessedBy?: TargetGuess["by"];
  /** Whether some classes differ only in case, spaces or a typo, merged or not. */
  readonly hasSimilarClasses: boolean;
  readonly columns: readonly ColumnOverview[];
  /** The first rows as read, in the order of the columns; missing values are undefined. */
  readonly preview: readonly (readonly (string | undefined)[])[];
  readonly classes: readonly { readonly name: string; readonly rows: number }[];
  readonly notices: readonly string[];
  /** Why training with these choices is not possible. */
  readonly fault?: Fault;
}

/** A learner with its changed settings. */
export interface ChosenLearner {
  readonly name: string;
  readonly settings: Settings;
}

export interface TrainPlan {
  readonly seed: number;
  /** Metric to optimise; by default the error. */
  readonly metric: string;
  /** Costs of misclassifying a row of a class, if they are not 1; for the metric `cost`. */
  readonly costs?: Readonly<Record<string, number>>;
  /** Maximum share of wrong answers; the model abstains to keep it. */
  readonly abstain?: number;
  /** Share of new rows whose class must be in the prediction set. */
  readonly sets?: number;
  /** Absent for a race. */
  readonly learner?: ChosenLearner;
  /** Time limit of the race, in seconds. */
  readonly seconds: number;
}

/** A learner in lists and boards. */
export interface ListedLearner {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly family: LearnerFamily;
  /** Whether there is a form for its options. */
  readonly hasForm: boolean;
}

/** The candidates of a race, and the winner's name once it is known. */
export interface RaceBoard {
  readonly leaders: readonly Leader[];
  readonly chosen?: string;
}

/** Maximum number of models in a session; a new one replaces the oldest. */
export const MOST_MODELS = 6;

/** A trained or opened model, as plain data that a session can store. */
export interface ModelResult {
  /** The engine's number for the model. It changes when a session is restored. */
  readonly number: number;
  readonly model: Uint8Array<ArrayBuffer>;
  /** The learner's title, and what distinguishes the model from others of the same learner. */
  readonly title: string;
  readonly variant?: string;
  /** Duration of the training in seconds; absent for an opened file. */
  readonly seconds?: number;
  readonly card: Card;
  readonly target: string;
  /** The certificate to quote. */
  readonly quoted?: Certificate;
  /** Present if the model abstains. */
  readonly abstention?: AbstentionRule;
  /** Fields of the form for one row. */
  readonly fields: readonly FormField[];
  /** Facts for the panels; absent for an opened model file. */
  readonly facts?: TrainingFacts;
  /** How the training file was read; new rows are read in the same way. */
  readonly reading?: ReadingChoices;
  /** The command and the program that train the same model. */
  readonly command?: string;
  readonly program?: string;
}

/** Predictions for a file. */
export interface PredictedFile {
  readonly rows: number;
  /** A CSV file like the output of `vouch predict --probabilities`. */
  readonly csv: Blob;
  readonly counts: readonly { readonly class: string; readonly rows: number }[];
  readonly notices: readonly string[];
}

/** Requests from the page to the engine. */
export interface Requests {
  learners: Record<string, never>;
  form: ChosenLearner;
  read: NamedFile & { readonly choices: DataChoices };
  train: TrainPlan;
  open: { readonly name: string; readonly model: Uint8Array<ArrayBuffer> };
  ask: { readonly model: number; readonly row: TypedRow };
  predict: NamedFile & { readonly model: number; readonly reading: ReadingChoices };
}

export interface Answers {
  learners: readonly ListedLearner[];
  form: LearnerForm;
  read: DataOverview;
  train: ModelResult;
  open: ModelResult;
  ask: RowAnswer;
  predict: PredictedFile;
}

export type RequestKind = keyof Requests;

/** A request with its number. */
export type Call<Kind extends RequestKind = RequestKind> = {
  [K in Kind]: { readonly id: number; readonly kind: K; readonly request: Requests[K] };
}[Kind];

/**
 * Messages to the engine: a request, or a command about an earlier one. `finish` ends a race with the best model so
 * far.
 */
export type ToEngine =
  | Call
  | { readonly id: number; readonly kind: "abort" }
  | { readonly id: number; readonly kind: "finish" };

/** Messages from the engine about a request: any number of reports, then an answer or a fault. */
export type FromEngine =
  | { readonly id: number; readonly kind: "progress"; readonly progress: Progress }
  | { readonly id: number; readonly kind: "training"; readonly training: TrainingProgress }
  | { readonly id: number; readonly kind: "board"; readonly board: RaceBoard }
  | { readonly id: number; readonly kind: "done"; readonly answer: Answers[RequestKind] }
  | { readonly id: number; readonly kind: "failed"; readonly fault: Fault };
