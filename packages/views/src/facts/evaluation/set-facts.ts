import type { Predictions } from "@vouch/core/internal/metrics/evaluation";
import { computeSets, type SetRule } from "@vouch/core/internal/theory/conformal/set-rule";

/** The sets of the rows of a class. */
export interface ClassSets {
  readonly name: string;
  readonly rows: number;
  /** Rows whose set has the class. */
  readonly covered: number;
  /** Number of classes in all sets together. */
  readonly members: number;
}

/** The prediction sets of rows with a known class. */
export interface SetFacts {
  readonly rule: SetRule;
  /** Number of rows by the size of their set, from 0 on. */
  readonly sizes: readonly number[];
  readonly classes: readonly ClassSets[];
}

/** Counts sets by size and by class; returns undefined without scores or rows. */
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
