import type { Predictions } from "@vouch/core/internal/metrics/evaluation";
import { computeSets, type SetRule } from "@vouch/core/internal/theory/conformal/set-rule";

/** Prediction sets for the rows of a class. */
export interface ClassSets {
  readonly name: string;
  readonly rows: number;
  /** Number of rows whose set contains the class. */
  readonly covered: number;
  /** Total number of classes in all sets. */
  readonly members: number;
}

/** Prediction sets of labelled rows. */
export interface SetFacts {
  readonly rule: SetRule;
  /** Number of rows by set size, from 0. */
  readonly sizes: readonly number[];
  readonly classes: readonly ClassSets[];
}

/** Counts sets by size and by class; undefined without scores or rows. */
export function setFacts(
  rule: SetRule,
  { classes, labels, scores }: Pick<Predictions, "classes" | "labels" | "scores">,
): SetFacts | undefined {
  if (!scores || labels.length === 0) return undefined;
  const width = classes.length;
  const sets = computeSets(rule, scores);
  const sizes = new Array<number>(width + 1).fill(0);
  const counts = classes.map((name) => ({ name, rows: 0, covered: 0, members: 0 }));
  labels.forEach((label, row) => {
    const own = sets.subarray(row * width, (row + 1) * width);
    const size = own.reduce((sum, member) => sum + member, 0);
    sizes[size]++;
    const class_ = counts[label];
    if (!class_) return;
    class_.rows++;
    class_.covered += own[label];
    class_.members += size;
  });
  return { rule, sizes, classes: counts };
}
