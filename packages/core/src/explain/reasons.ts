import type { Encoder } from "../encode/encoder.js";
import type { Features } from "../encode/sample.js";
import type { ScoreUnit } from "../learners/additive.js";
import type { Model } from "../learners/model.js";
import { runNow } from "../runtime/parallel/pausable.js";
import { completeRun, type Run } from "../runtime/parallel/run.js";
import { classHint } from "../runtime/text/suggestions.js";
import { VouchError } from "../runtime/vouch-error.js";
import { type Column, cellText } from "../table/column.js";
import type { SchemaMatch } from "../table/schema-match.js";
import type { Table } from "../table/table.js";
import { featuresByColumn } from "./feature-groups.js";
import { type ReasonWord, reasonWords } from "./reason-words.js";
import { type ShapleyValues, shapleyValues } from "./shapley-values.js";

/** The part of a row's score that one column explains. */
export interface Reason {
  readonly column: string;
  /** The cell as a string. */
  readonly value: string;
  /** Shapley value: positive if the column speaks for the class, negative if against. */
  readonly contribution: number;
  /** Standard error of the contribution; absent if it is exact. */
  readonly se?: number;
  /** Up to three words whose removal from the text changes the score most; absent if none does. */
  readonly words?: readonly ReasonWord[];
}

/** Explains the score of a row for a class: score = base + sum of all contributions. */
export interface RowReasons {
  /** The class whose score is explained. */
  readonly of: string;
  /** Unit of base, score and contributions. */
  readonly unit: ScoreUnit;
  /** Mean score of the background rows. */
  readonly base: number;
  readonly score: number;
  /** The columns, largest contribution first, regardless of sign. */
  readonly reasons: readonly Reason[];
}

/** Options of `reasonsFor`. */
export interface ReasonOptions {
  /** Class whose score is explained, or one for each row; by default, and for "", the predicted one. */
  readonly class?: string | readonly string[];
  /** Number of reasons to keep per row; by default all columns. */
  readonly most?: number;
  /** Seed of the sampling; by default the run's. */
  readonly seed?: number;
  /** Number of column orders for sampled values; by default 256, fewer with many columns. */
  readonly permutations?: number;
  /** For parts of a longer table: collects how the rows match the schema; see `Classifier.classify`. */
  readonly match?: SchemaMatch;
}

/**
 * Computes how much each raw column speaks for or against a class in each row: Shapley values of the interventional
 * game v(S) = mean over background rows b of f(x on S, b elsewhere), where f is the score of the class. They are exact
 * for sums of trees and of functions of single features, such as linear ones; otherwise they are sampled, with a
 * standard error. They always sum to f(x) − mean f(b).
 *
 * The result depends only on the model, the rows, the background, the seed and the number of permutations. Rows of a
 * part of a table get the same reasons as in the whole table.
 */
export async function reasonsFor(
  model: Model,
  encoder: Encoder,
  background: Table,
  rows: Table,
  options: ReasonOptions = {},
  partialRun?: Partial<Run>,
): Promise<RowReasons[]> {
  const run = completeRun(partialRun);
  const { permutations, most = encoder.schema.columns.length, seed = run.seed } = options;
  checkCount("most", most);
  if (permutations !== undefined) checkCount("permutations", permutations);
  if (background.rows === 0) throw new VouchError("data/no-rows", "There are no background rows.");
  const features = runNow(encoder.encodeInSteps(rows, options.match));
  if (rows.rows === 0) return [];
  const classes = classesOf(model, features, options.class);
  const values = await shapleyValues(
    model,
    {
      features,
      background: encoder.encode(background),
      groups: featuresByColumn(encoder),
      columnOf: encoder.featureColumns,
      classes,
      seed,
      firstRow: rows.firstRow,
      ...(permutations !== undefined && { permutations }),
    },
    run,
  );
  const columns = encoder.schema.columns.map(({ name }) => rows.column(name));
  const chosen = Array.from(classes.keys(), (i) => strongest(columns, values, i, most));
  const words = new Map<string, Map<number, ReasonWord[]>>();
  for (const { name } of encoder.schema.columns.filter(({ kind }) => kind === "text")) {
    const asked = Array.from(classes.keys()).filter((i) => chosen[i].some(({ column }) => column === name));
    const explained = { rows, background, classes };
    words.set(name, await reasonWords(model, encoder, explained, { column: name, rows: asked }, run));
  }
  return Array.from(classes, (k, i) => ({
    of: model.classes[k],
    unit: values.units[i],
    base: values.bases[i],
    score: values.scores[i],
    reasons: chosen[i].map((reason) => {
      const own = words.get(reason.column)?.get(i) ?? [];
      return own.length > 0 ? { ...reason, words: own } : reason;
    }),
  }));
}

/** Lists the largest contributions to a row first. */
function strongest(
  columns: readonly Column[],
  { values, errors }: ShapleyValues,
  row: number,
  most: number,
): Reason[] {
  const own = values.subarray(row * columns.length, (row + 1) * columns.length);
  const order = Array.from(own.keys()).sort((a, b) => Math.abs(own[b]) - Math.abs(own[a]));
  return order.slice(0, most).map((g) => {
    const se = errors[row * columns.length + g];
    return {
      column: columns[g].name,
      value: cellText(columns[g], row),
      contribution: own[g],
      ...(!Number.isNaN(se) && { se }),
    };
  });
}

/** Lists the words of a reason that have the same sign as its column. */
export function decidingWords({ contribution, words = [] }: Reason): ReasonWord[] {
  return words.filter((word) => word.contribution > 0 === contribution > 0);
}

/** Formats a reason, such as `tenure=2 (+0.42)`, or for text `note contains "refund" (+0.31)`. */
export function reasonText(reason: Reason): string {
  const [word] = decidingWords(reason);
  const { contribution } = word ?? reason;
  const size = Number(Math.abs(contribution).toPrecision(2));
  const fact = word ? `${reason.column} contains "${word.word}"` : `${reason.column}=${reason.value}`;
  return `${fact} (${contribution < 0 ? "-" : "+"}${size})`;
}

function checkCount(name: string, count: number): void {
  if (Number.isInteger(count) && count >= 1) return;
  throw new VouchError("option/invalid", `${name} must be a whole number ≥ 1, not ${count}.`);
}

function classesOf(
  model: Model,
  features: Features,
  given: string | readonly string[] | undefined,
): Int32Array {
  if (given === undefined) return model.predict(features);
  if (typeof given === "string") return new Int32Array(features.rows).fill(indexOfClass(model, given));
  if (given.length !== features.rows) {
    throw new VouchError("option/invalid", `There are ${features.rows} rows but ${given.length} classes.`);
  }
  const own = given.includes("") ? model.predict(features) : new Int32Array(given.length);
  return Int32Array.from(given, (name, i) => (name === "" ? own[i] : indexOfClass(model, name)));
}

function indexOfClass(model: Model, name: string): number {
  const index = model.classes.indexOf(name);
  if (index >= 0) return index;
  throw new VouchError("option/invalid", `The model has no class "${name}".`, {
    hint: classHint(name, model.classes),
  });
}
