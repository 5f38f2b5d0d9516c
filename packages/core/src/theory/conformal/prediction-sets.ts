import type { Matrix } from "../../runtime/maths/matrix.js";
import { Random } from "../../runtime/maths/random.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { riskOfFailure } from "../certificate.js";
import { largestProbability } from "../distributions.js";
import { computeSets, type SetLimit, type SetRule, setRuleSchema } from "./set-rule.js";
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
 * coverage ≥ 1 − U(j, n, δ′) with U(j, n, δ′) = max { p : P(Binomial(n, p) ≤ j) ≥ δ′ } and probability ≥ 1 − δ′ for any other δ′.
 * `boundCoverage` tells what rows of unknown classes, which no set contains, change.
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
 * If even the smallest P₍₁₎ does not reach the level, or if too many rows are of unknown classes, the level is what these rows
 * certify. Returns undefined without rows of known classes.
 */
export function fitSets(rows: ProbableRows, task: SetTask): SetRule | undefined {
  checkRows(rows);
  const { level: asked, confidence, perClass = false } = task;
  checkLevel(asked);
  const delta = riskOfFailure(confidence);
  const own = ownProbabilities(rows, perClass);
  if (own.every((values) => values.every((value) => value < 0))) return undefined;
  const limited = perClass ? classLimits(own, rows.labels, asked, delta) : overallLimit(own[0], asked, delta);
  const sets = computeSets({ ...limited, perClass }, rows.probabilities);
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

/** Stands for the probability of an unknown class, which is in no set. */
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

type Limited = Pick<SetRule, "level" | "limits" | "unknown">;

function classLimits(
  own: readonly Float64Array[],
  labels: Int32Array,
  level: number,
  delta: number,
): Limited {
  const limits = own.map((values) => {
    const misses = criticalErrors(values.length, 1 - level, delta / own.length);
    if (misses < 0) return { probability: 0, rows: values.length, misses: 0 };
    return { probability: values[misses], rows: values.length, misses };
  });
  return { level, limits, ...unknownAmong(labels) };
}

/** Finds a limit for all classes; `boundCoverage` contains the proof. */
function overallLimit(own: Float64Array, asked: number, delta: number): Limited {
  const { unknown } = unknownAmong(own);
  const all = lowestLimit(own, asked, (1 - SHARE_OF_KNOWN) * delta);
  const known = own.filter((value) => value !== UNKNOWN_CLASS);
  const limit = (unknown?.rows ?? 0) <= all.misses ? all : lowestLimit(known, asked, SHARE_OF_KNOWN * delta);
  const limited = { limits: [limit], ...(unknown && { unknown }) };
  return { ...limited, level: Math.min(asked, boundCoverage(limited, delta)) };
}

function lowestLimit(own: Float64Array, level: number, delta: number): SetLimit {
  const misses = Math.max(0, criticalErrors(own.length, 1 - level, delta));
  return { probability: own[misses], rows: own.length, misses };
}

function unknownAmong(labels: Int32Array | Float64Array): Pick<SetRule, "unknown"> {
  const rows = labels.filter((label: number) => label < 0).length;
  return rows > 0 ? { unknown: { rows, of: labels.length } } : {};
}

/**
 * The share of δ for the coverage of known classes, if more rows are of unknown classes than the level allows. It is small because every
 * other case has only the rest.
 */
const SHARE_OF_KNOWN = 1 / 20;

/**
 * Bounds the coverage of sets with one limit for all classes from below, with risk δ = δ₁ + δ₂, where δ₂ is `SHARE_OF_KNOWN` of it.
 *
 * Let u of the n rows be of unknown classes: they are the first of the sorted ones. Let j depend on n alone, and U be as in `fitSets`.
 *
 *     If u ≤ j, the limit is P₍ⱼ₊₁₎ of all rows:                       coverage ≥ 1 − U(j, n, δ₁).
 *     If u > j, it is the one of the n − u known rows with k misses:   coverage ≥ (1 − U(u, n, δ₁)) · (1 − U(k, n − u, δ₂)).
 *
 * Proof: let π be the probability of unknown classes, and a = U(j, n, δ₁). Given u, the known rows are independent draws of such cases,
 * so that their coverage is below 1 − U(k, n − u, δ₂) with probability ≤ δ₂. Other failures have probability ≤ δ₁. If π ≤ a, they need
 * u ≤ j and have the probability of `fitSets`, because u > j gives U(u, n, δ₁) ≥ a ≥ π. If π > a, they are the failures of π ≤ U(u, n, δ₁), the
 * bound of Clopper and Pearson: the first line fails whenever u ≤ j, and then U(u, n, δ₁) ≤ a < π. ∎
 *
 * Nothing in it depends on the δ for which j and k were chosen. The bound for u misses, however low the smallest known probability is, would
 * forget the known rows below the limit: it fails in 29% of samples of 20 rows at δ = 20%.
 */
export function boundCoverage(
  { limits: [{ rows, misses }], unknown }: Pick<SetRule, "limits" | "unknown">,
  delta: number,
): number {
  const rest = (1 - SHARE_OF_KNOWN) * delta;
  if (!unknown || rows === unknown.of) return 1 - largestProbability(misses, rows, rest);
  const known = 1 - largestProbability(misses, rows, SHARE_OF_KNOWN * delta);
  return (1 - largestProbability(unknown.rows, unknown.of, rest)) * known;
}

function sum(values: Uint8Array): number {
  return values.reduce((total, value) => total + value, 0);
}

function checkLevel(level: number): void {
  if (level > 0 && level < 1) return;
  throw new VouchError(
    "option/invalid",
    `The coverage of prediction sets must be between 0 and 1, not ${level}.`,
    {
      hint: "Use 0.95 for sets that have the class of 95% of new rows.",
    },
  );
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
      `The probabilities of row ${Math.floor(strange / columns) + 1} must be between 0 and 1, not ${values[strange]}.`,
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
