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

/** Kinds that a user can give a column; an ignored one is not read. */
export type ChosenKind = "numeric" | "categorical" | "date" | "text" | "ignored";

/** How rows are held out: at random, whole groups, or the latest. */
export type SplitChoice =
  | { readonly by: "random" }
  | { readonly by: "group" | "time"; readonly column: string };

/** What the user says about the columns of a file. */
export interface DataChoices {
  /** Absent while the guess is kept. */
  readonly target?: string;
  /** Merge classes that differ only in case, spaces or a typo. */
  readonly mergeClasses?: boolean;
  /** Kinds of columns by name, where they differ from what was found. */
  readonly kinds: Readonly<Record<string, ChosenKind>>;
  readonly split: SplitChoice;
  readonly reading?: ReadingChoices;
}

/** A file that the user chose; the name is as in messages and on the model card. */
export interface NamedFile {
  readonly name: string;
  readonly file: Blob;
  /** The name of an example of the studio; absent for other files. */
  readonly example?: string;
}

/** A fault as the page shows it. */
export interface Fault {
  readonly message: string;
  readonly hint?: string | undefined;
  /** Whether the user has stopped the work: nothing is wrong. */
  readonly stopped?: boolean;
}

/** More columns than this are not listed: a sparse file may have a million of them. */
export const MOST_LISTED = 200;

/** A column as the data step shows it. */
export interface ColumnOverview extends ColumnFacts {
  readonly role: "feature" | "target" | "group" | "time" | "identifier" | "ignored";
  /** Why the column needs a look. */
  readonly warning?: string;
  /** Whether it predicts the class almost alone. */
  readonly isLeak?: boolean;
}

/** A file that was read. */
export interface DataOverview {
  readonly name: string;
  readonly rows: number;
  readonly target: string;
  /** How the target was found; absent if the user chose it. */
  readonly guessedBy?: TargetGuess["by"];
  /** Whether some classes differ only in case, spaces or a typo, merged or not. */
  readonly hasSimilarClasses: boolean;
  readonly columns: readonly ColumnOverview[];
  /** The first rows as they were read, in the order of the columns; a missing value is undefined. */
  readonly preview: readonly (readonly (string | undefined)[])[];
  readonly classes: readonly { readonly name: string; readonly rows: number }[];
  readonly notices: readonly string[];
  /** Why these choices cannot be trained on. */
  readonly fault?: Fault;
}

/** A learner with the settings that differ from its defaults. */
export interface ChosenLearner {
  readonly name: string;
  readonly settings: Settings;
}

/** What to train. */
export interface TrainPlan {
  readonly seed: number;
  /** The metric to optimise; the error by default. */
  readonly metric: string;
  /** What it costs to misclassify a row of a class, where that is not 1; for the metric `cost`. */
  readonly costs?: Readonly<Record<string, number>>;
  /** Largest share of wrong answers: where there may be more, the model gives none. */
  readonly abstain?: number;
  /** Share of new rows whose class is in the set of classes that the model gives. */
  readonly sets?: number;
  /** Absent for a race. */
  readonly learner?: ChosenLearner;
  /** Time limit of the race in seconds. */
  readonly seconds: number;
}

/** A learner for lists and boards. */
export interface ListedLearner {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly family: LearnerFamily;
  /** Whether a form can set it up. */
  readonly hasForm: boolean;
}

/** The candidates of a race, and the name of the winner once there is one. */
export interface RaceBoard {
  readonly leaders: readonly Leader[];
  readonly chosen?: string;
}

/** Models that a session keeps; a further one takes the place of the oldest. */
export const MOST_MODELS = 6;

/** A trained or opened model; plain data, which a session keeps. */
export interface ModelResult {
  /** The engine's number for the model, by which it is asked. A session opens it again under another one. */
  readonly number: number;
  /** The bytes of the model file. */
  readonly model: Uint8Array<ArrayBuffer>;
  /** The learner's name for people, and what tells the model from others of the same learner. */
  readonly title: string;
  readonly variant?: string;
  /** Seconds of its training; absent for an opened file. */
  readonly seconds?: number;
  readonly card: Card;
  readonly target: string;
  /** The certificate to quote. */
  readonly quoted?: Certificate;
  /** When the model leaves a prediction empty; absent if it answers every row. */
  readonly abstention?: AbstentionRule;
  /** Fields of the form that asks about one row. */
  readonly fields: readonly FormField[];
  /** What the panels show of a training; a model file alone does not have it. */
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
  /** A CSV file as `vouch predict --probabilities` writes it. */
  readonly csv: Blob;
  readonly counts: readonly { readonly class: string; readonly rows: number }[];
  readonly notices: readonly string[];
}

/** What the page can ask of the engine. */
export interface Requests {
  learners: Record<string, never>;
  form: ChosenLearner;
  read: NamedFile & { readonly choices: DataChoices };
  train: TrainPlan;
  open: { readonly name: string; readonly model: Uint8Array<ArrayBuffer> };
  ask: { readonly model: number; readonly row: TypedRow };
  predict: NamedFile & { readonly model: number; readonly reading: ReadingChoices };
}

/** The answers to these requests. */
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

/** Messages to the engine: a request, or what to do about an earlier one. `finish` ends a race with the best so far. */
export type ToEngine =
  | Call
  | { readonly id: number; readonly kind: "abort" }
  | { readonly id: number; readonly kind: "finish" };

/** Messages of the engine about a request: any number of reports, then an answer or a fault. */
export type FromEngine =
  | { readonly id: number; readonly kind: "progress"; readonly progress: Progress }
  | { readonly id: number; readonly kind: "training"; readonly training: TrainingProgress }
  | { readonly id: number; readonly kind: "board"; readonly board: RaceBoard }
  | { readonly id: number; readonly kind: "done"; readonly answer: Answers[RequestKind] }
  | { readonly id: number; readonly kind: "failed"; readonly fault: Fault };
