import type { Matrix } from "../../runtime/matrix.js";
import { Random } from "../../runtime/random.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { riskOfFailure } from "../certificate.js";
import { largestProbability } from "../distributions.js";
import { type SetLimit, type SetRule, setRuleSchema, setsOf } from "./set-rule.js";
import { criticalErrors } from "./threshold-sequence.js";

/** Held-out rows with their classes and probabilities. */
export interface ProbableRows {
  /** One row per row, one column per class. */
  readonly probabilities: Matrix;
  /** Class of each row; −1 for a class that the model does not know. */
  readonly labels: Int32Array;
  /** Group of each row, if rows of a group are not independent. */
  readonly groups?: Int32Array | undefined;
}

/** The sets that are wanted. */
export interface SetTask {
  /** The least probability with which the class of a new row must be in its set, in (0, 1). */
  readonly level: number;
  /** 1 − δ, in (0, 1). */
  readonly confidence: number;
  /** Whether every class must be covered, each by a limit of its own. */
  readonly perClass?: boolean;
}

/**
 * Finds the limits of prediction sets: a class is in the set of a row if its probability is at least the limit. With probability
 * ≥ 1 − δ over the held-out rows, the class of a new row is in its set with probability ≥ level (split conformal sets with
 * training-conditional coverage; Vovk, "Conditional validity of inductive conformal predictors", 2012, Proposition 2).
 *
 * Let P₍₁₎ ≤ … ≤ P₍ₙ₎ be the probabilities that n held-out rows have for their own class. The limit is P₍ⱼ₊₁₎ with the largest j for
 * which P(Binomial(n, 1 − level) ≤ j) ≤ δ. Proof: let q be the largest number with P(P_new < q) ≤ 1 − level. The
 * coverage is below the level only if P₍ⱼ₊₁₎ > q, that is if at most j of the rows have P ≤ q; as P(P_new ≤ q) ≥ 1 − level, this has
 * at most the probability P(Binomial(n, 1 − level) ≤ j) ≤ δ. Ties only raise the coverage. ∎ The same argument for fixed j gives
 * coverage ≥ 1 − max { p : P(Binomial(n, p) ≤ j) ≥ δ′ } with probability ≥ 1 − δ′ for any other δ′.
 *
 * Sets of probable classes have the smallest mean size among all with the same coverage, if the probabilities are right (Sadinle, Lei
 * and Wasserman, "Least ambiguous set-valued classifiers with bounded error levels", JASA 114, 2019, Theorem 1). A set that
 * would be empty has the most probable class, which can only raise the coverage.
 *
 * `perClass` takes a limit for each of K classes from its own rows, at δ/K each: with probability ≥ 1 − δ every class is covered
 * (Vovk 2012, section 3: Mondrian predictors). A class with too few rows is in every set.
 *
 * Rows of a group are not independent. One row of each group, drawn at random, are independent draws of a random row of a random
 * group (Dunn, Wasserman and Ramdas, "Distribution-free prediction sets for two-layer hierarchical models", JASA 118, 2023, on
 * subsampling once); per class, one row of each group that has the class.
 *
 * If even the smallest P₍₁₎ does not reach the level, or if too many rows are of unknown classes, the level is the largest one
 * that these rows certify. Returns undefined without rows of known classes.
 */
export function fitSets(rows: ProbableRows, task: SetTask): SetRule | undefined {
  checkRows(rows);
  const { level: asked, confidence, perClass = false } = task;
  checkLevel(asked);
  const delta = riskOfFailure(confidence);
  const classes = rows.probabilities.columns;
  const own = ownProbabilities(rows, perClass);
  if (own.every((values) => values.every((value) => value < 0))) return undefined;
  const limited = perClass
    ? { level: asked, limits: own.map((values) => classLimit(values, asked, delta / classes)) }
    : overallLimit(own[0], asked, delta);
  const sets = setsOf({ ...limited, perClass }, rows.probabilities);
  const meanSize = sum(sets) / rows.labels.length;
  return setRuleSchema.parse({ ...limited, asked, confidence, perClass, meanSize });
}

/** Collects the probabilities that independent rows have for their own class, ascending: of all rows, or of each class. */
function ownProbabilities(
  { probabilities, labels, groups }: ProbableRows,
  perClass: boolean,
): Float64Array[] {
  const { columns, values } = probabilities;
  return Array.from({ length: perClass ? columns : 1 }, (_, c) => {
    const rows = Int32Array.from(labels.keys()).filter((row) => !perClass || labels[row] === c);
    const own = Float64Array.from(groups ? oneOfEachGroup(rows, groups) : rows, (row) =>
      labels[row] < 0 ? UNKNOWN_CLASS : Math.min(1, values[row * columns + labels[row]]),
    );
    return own.sort();
  });
}

/** Stands for the probability of a class that the model does not know: no set has it. */
const UNKNOWN_CLASS = -1;
const GROUP_SEED = 1;

function oneOfEachGroup(rows: Int32Array, groups: Int32Array): number[] {
  const drawn = new Map<number, number>();
  // The first row of each group in a random order is a random row of it.
  for (const row of new Random(GROUP_SEED).shuffle(rows)) {
    if (!drawn.has(groups[row])) drawn.set(groups[row], row);
  }
  return [...drawn.values()];
}

function classLimit(own: Float64Array, level: number, delta: number): SetLimit {
  const misses = criticalErrors(own.length, 1 - level, delta);
  if (misses < 0) return { probability: 0, rows: own.length, misses: 0 };
  return { probability: own[misses], rows: own.length, misses };
}

/**
 * Finds a limit for all classes. Rows of unknown classes come first among the sorted ones. If there are u > j of them, the limit is the
 * smallest one of a known class, with u misses. The bound for max(u, j) misses is then valid: if the probability of unknown classes is
 * below the bound for j, it cannot fail, and otherwise only if the bound for u does.
 */
function overallLimit(
  own: Float64Array,
  asked: number,
  delta: number,
): { readonly level: number; readonly limits: SetLimit[] } {
  const rows = own.length;
  const unknown = own.findIndex((value) => value !== UNKNOWN_CLASS);
  const allowed = criticalErrors(rows, 1 - asked, delta);
  const misses = Math.max(unknown, allowed);
  const level = misses > allowed ? 1 - largestProbability(misses, rows, delta) : asked;
  return { level, limits: [{ probability: own[misses], rows, misses }] };
}

function sum(values: Uint8Array): number {
  return values.reduce((total, value) => total + value, 0);
}

function checkLevel(level: number): void {
  if (level > 0 && level < 1) return;
  throw new VouchError("option/invalid", `The level of sets is ${level}, but must lie between 0 and 1.`, {
    hint: "Use 0.95 for sets that have the class of 95 % of new rows.",
  });
}

/** Probabilities whose sum was divided out may be above 1 in the last bits. */
const ROUNDING = 1e-9;

function checkRows({ probabilities, labels, groups }: ProbableRows): void {
  const { rows, columns, values } = probabilities;
  if (labels.length !== rows || (groups && groups.length !== rows)) {
    throw new VouchError(
      "option/invalid",
      `Got probabilities of ${rows} rows, ${labels.length} labels${groups ? ` and ${groups.length} groups` : ""}: there must be one of each for every row.`,
    );
  }
  const strange = values.findIndex((value: number) => !(value >= 0 && value <= 1 + ROUNDING));
  if (strange >= 0) {
    throw new VouchError(
      "data/not-finite",
      `A probability of row ${Math.floor(strange / columns) + 1} is ${values[strange]}, but must lie between 0 and 1.`,
    );
  }
  const label = labels.findIndex((value) => value < -1 || value >= columns);
  if (label >= 0) {
    throw new VouchError(
      "option/invalid",
      `The label of row ${label + 1} is ${labels[label]}, but there are ${columns} classes.`,
    );
  }
}
