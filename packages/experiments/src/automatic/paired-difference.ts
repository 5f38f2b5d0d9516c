import { mean, standardDeviation } from "@vouch/core/internal/runtime/maths/statistics";
import { studentTail } from "@vouch/core/internal/theory/test-tails";
import { signTest } from "../paired-tests.js";

/** Errors of a classifier on one split: the test rows it gets wrong. */
export interface TestedRows {
  readonly testRows: number;
  /** Indices of misclassified test rows, ascending. */
  readonly wrongRows: readonly number[];
}

/** Difference of the mean errors of two classifiers, with its standard error and two-sided p-value. */
export interface PairedDifference {
  readonly difference: number;
  readonly standardError: number;
  readonly p: number;
}

/**
 * Compares two classifiers on the same splits. `trainingRows` is the number of training rows of a split. A single split
 * is compared row by row, as in McNemar's test; several random splits are compared by their errors.
 */
export function compareOnDivisions(
  first: readonly TestedRows[],
  second: readonly TestedRows[],
  trainingRows: number,
): PairedDifference {
  if (first.length === 1) return differenceOfRows(first[0], second[0]);
  const { testRows } = first[0];
  const differences = first.map(({ wrongRows }, i) => wrongRows.length - second[i].wrongRows.length);
  return differenceOfDivisions(differences, testRows, trainingRows);
}

/**
 * Compares two classifiers on n rows, b of which only the first gets wrong and c only the second. The difference of
 * their errors is (b − c)/n with variance (b + c − (b − c)²/n)/n²; p comes from the exact sign test.
 */
export function differenceOfRows(first: TestedRows, second: TestedRows): PairedDifference {
  const n = first.testRows;
  const wrongInSecond = new Set(second.wrongRows);
  const both = first.wrongRows.filter((row) => wrongInSecond.has(row)).length;
  const b = first.wrongRows.length - both;
  const c = second.wrongRows.length - both;
  const tail = Math.min(signTest({ first: b, second: c }), signTest({ first: c, second: b }));
  return {
    difference: (b - c) / n,
    standardError: Math.sqrt(b + c - (b - c) ** 2 / n) / n,
    p: Math.min(1, 2 * tail),
  };
}

/**
 * Compares two classifiers by the differences of their error counts on k random splits into n₁ training and n₂ test
 * rows. The training rows overlap, so the variance of the mean is (1/k + n₂/n₁) s² (Nadeau and Bengio 2003). s² is at
 * least the variance of rounding to a row.
 */
export function differenceOfDivisions(
  differences: readonly number[],
  testRows: number,
  trainingRows: number,
): PairedDifference {
  const k = differences.length;
  const centre = mean(differences);
  const variance = Math.max(standardDeviation(differences) ** 2, 1 / 12);
  const deviation = Math.sqrt((1 / k + testRows / trainingRows) * variance);
  const p = Math.min(1, 2 * studentTail(Math.abs(centre) / deviation, k - 1));
  return { difference: centre / testRows, standardError: deviation / testRows, p };
}
