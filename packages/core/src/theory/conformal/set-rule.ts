import * as z from "zod";
import {
  nonNegativeInteger,
  nonNegativeNumber,
  positiveInteger,
  proportion,
} from "../../runtime/codec/schema-numbers.js";
import type { Matrix } from "../../runtime/maths/matrix.js";
import { VouchError } from "../../runtime/vouch-error.js";

const fraction = z.number().gt(0).lt(1);

/** Schema of `SetRule`, for model files. */
export const setRuleSchema = z
  .strictObject({
    /** The requested coverage. */
    asked: fraction,
    /** The certified coverage: the requested one, or a smaller one if there are too few rows of known classes. */
    level: fraction,
    /** The confidence with which the level is kept, in all classes together if there is a limit for each. */
    confidence: fraction,
    /** Whether there is a limit for each class, in the order of classes, or one for all. */
    perClass: z.boolean(),
    limits: z.array(
      z
        .strictObject({
          /** Classes with at least this probability are in the set. 0: always. */
          probability: proportion,
          /** Number of held-out rows that it comes from. */
          rows: nonNegativeInteger,
          /** Number of them whose class may be below the limit. */
          misses: nonNegativeInteger,
        })
        .refine(({ rows, misses }) => misses <= rows, "more misses than rows"),
    ),
    /**
     * Held-out rows of unknown classes, among all that count. With one limit for all classes, its rows are all of
     * these, or only the known ones if there are too many others. Absent if there are none, and in files of earlier
     * versions.
     */
    unknown: z
      .strictObject({ rows: positiveInteger, of: positiveInteger })
      .refine(({ rows, of }) => rows < of, "no rows of known classes")
      .optional(),
    /** Mean number of classes in the sets of held-out rows. */
    meanSize: nonNegativeNumber,
  })
  .refine(({ asked, level }) => level <= asked, "a level above the one asked for")
  .refine(({ perClass, limits }) => perClass || limits.length === 1, "several limits for all classes")
  .refine(
    ({ perClass, limits, unknown }) =>
      perClass ||
      !unknown ||
      limits.every(({ rows }) => rows === unknown.of || rows === unknown.of - unknown.rows),
    "limits from other rows than those that count",
  );

/** Which classes are in the set of a row, and the evidence for their coverage. */
export type SetRule = z.output<typeof setRuleSchema>;

/** One limit of a rule. */
export type SetLimit = SetRule["limits"][number];

/** Returns whether the requested coverage is certified, and not only a smaller one. */
export function keepsLevel({ asked, level }: Pick<SetRule, "asked" | "level">): boolean {
  return level >= asked;
}

/** Computes which classes are in the sets of rows: 1 or 0 for each row and class, row after row. */
export function computeSets(
  { limits, perClass }: Pick<SetRule, "limits" | "perClass">,
  probabilities: Matrix,
): Uint8Array {
  const { rows, columns, values } = probabilities;
  if (perClass && limits.length !== columns) {
    throw new VouchError(
      "option/invalid",
      `The sets have limits for ${limits.length} classes, but there are probabilities of ${columns}.`,
    );
  }
  const least = Float64Array.from({ length: columns }, (_, c) => limits[perClass ? c : 0].probability);
  const sets = new Uint8Array(rows * columns);
  for (let row = 0; row < rows; row++) {
    const start = row * columns;
    let size = 0;
    let best = 0;
    for (let c = 0; c < columns; c++) {
      if (values[start + c] >= least[c]) {
        sets[start + c] = 1;
        size++;
      }
      if (values[start + c] > values[start + best]) best = c;
    }
    if (size === 0 && columns > 0) sets[start + best] = 1;
  }
  return sets;
}
