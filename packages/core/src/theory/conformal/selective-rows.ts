import * as z from "zod";
import { nonNegativeInteger, positiveInteger } from "../../runtime/codec/schema-numbers.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { CountedDraws } from "../held-out/counted-draws.js";

/** Rows with the confidence of their answers, and which answers are wrong. */
export interface SelectiveRows {
  /**
   * How sure the model is of each answer, on any scale on which more is surer: the largest probability, or minus the expected
   * cost. Finite.
   */
  readonly confidences: Float64Array;
  /** 1 for a wrong answer, 0 for a right one. */
  readonly wrong: Uint8Array;
  /** Group of each row, if rows of a group are not independent. */
  readonly groups?: Int32Array | undefined;
}

function isPossible({ rows, answered, errors }: Omit<SelectiveCounts, "groups">): boolean {
  return errors <= answered && answered <= rows;
}

const IMPOSSIBLE = "more errors than answers, or more answers than rows";

/** Schema of `SelectiveCounts`. */
export const selectiveCountsSchema = z
  .strictObject({
    rows: nonNegativeInteger,
    answered: nonNegativeInteger,
    errors: nonNegativeInteger,
    groups: z
      .array(
        z
          .strictObject({
            rows: positiveInteger,
            answered: nonNegativeInteger,
            errors: nonNegativeInteger,
            groups: positiveInteger,
          })
          .refine(isPossible, IMPOSSIBLE),
      )
      .optional(),
  })
  .refine(isPossible, IMPOSSIBLE);

/** Numbers of rows, of those answered, and of wrong answers. */
export interface SelectiveCounts {
  readonly rows: number;
  readonly answered: number;
  readonly errors: number;
  /** The same for groups with equal counts, each with the number of such groups; present if the rows were drawn by groups. */
  readonly groups?:
    | readonly {
        readonly rows: number;
        readonly answered: number;
        readonly errors: number;
        readonly groups: number;
      }[]
    | undefined;
}

/** Counts the answers to rows whose confidence is at least a threshold. */
export function countAnswers(
  { confidences, wrong, groups }: SelectiveRows,
  threshold: number,
): SelectiveCounts {
  const all = new Counts();
  const byGroup = new Map<number, Counts>();
  for (let row = 0; row < confidences.length; row++) {
    const isAnswered = confidences[row] >= threshold;
    all.add(isAnswered, wrong[row]);
    if (!groups) continue;
    const own = byGroup.get(groups[row]) ?? new Counts();
    byGroup.set(groups[row], own);
    own.add(isAnswered, wrong[row]);
  }
  return { ...all, ...(groups && { groups: equalGroups([...byGroup.values()]) }) };
}

class Counts {
  rows = 0;
  answered = 0;
  errors = 0;

  add(isAnswered: boolean, wrong: number): void {
    this.rows++;
    if (!isAnswered) return;
    this.answered++;
    this.errors += wrong;
  }
}

/** Counts groups with the same numbers. */
function equalGroups(counts: readonly Counts[]): NonNullable<SelectiveCounts["groups"]> {
  const kinds = new Map<string, { rows: number; answered: number; errors: number; groups: number }>();
  for (const { rows, answered, errors } of counts) {
    const key = `${rows} ${answered} ${errors}`;
    const kind = kinds.get(key);
    if (kind) kind.groups++;
    else kinds.set(key, { rows, answered, errors, groups: 1 });
  }
  return [...kinds.values()].sort(
    (a, b) => a.rows - b.rows || a.answered - b.answered || a.errors - b.errors,
  );
}

/** Computes a number for each group, from its shares of answered rows and of wrong answers among all its rows. */
export function eachGroup(
  groups: NonNullable<SelectiveCounts["groups"]>,
  of: (answered: number, wrong: number) => number,
): Float64Array {
  return Float64Array.from(
    groups.flatMap(({ rows, answered, errors, groups: times }) =>
      new Array<number>(times).fill(of(answered / rows, errors / rows)),
    ),
  );
}

/** Computes a share for each group, as `eachGroup` does, and counts equal ones together. */
export function groupDraws(
  groups: NonNullable<SelectiveCounts["groups"]>,
  of: (answered: number, wrong: number) => number,
): CountedDraws {
  return new CountedDraws(
    groups.map(({ rows, answered, errors, groups: times }) => ({
      value: of(answered / rows, errors / rows),
      times,
    })),
  );
}

/** Throws unless there is a finite confidence, and 0 or 1, for each row. */
export function checkSelectiveRows({ confidences, wrong, groups }: SelectiveRows, which: string): void {
  const { length } = confidences;
  if (wrong.length !== length || (groups && groups.length !== length)) {
    throw new VouchError(
      "option/invalid",
      `Got ${length} confidences of ${which} rows, ${wrong.length} marks of wrong answers${groups ? ` and ${groups.length} groups` : ""}: there must be one of each for every row.`,
    );
  }
  const strange = confidences.findIndex((value) => !Number.isFinite(value));
  if (strange >= 0) {
    throw new VouchError(
      "data/not-finite",
      `The confidence of ${which} row ${strange + 1} is ${confidences[strange]}.`,
    );
  }
  const mark = wrong.findIndex((value) => value > 1);
  if (mark >= 0) {
    throw new VouchError(
      "option/invalid",
      `The mark of ${which} row ${mark + 1} must be 1 for a wrong answer or 0 for a right one, not ${wrong[mark]}.`,
    );
  }
}
