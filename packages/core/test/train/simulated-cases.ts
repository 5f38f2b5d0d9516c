import { Random } from "#core/runtime/maths/random.js";
import { Table } from "#core/table/table.js";

export const TWO = ["no", "yes"];
export const THREE = ["no", "yes", "maybe"];

/** Rows of which a fifth are "yes", or of three classes, with groups of four rows and times. */
export function cases(rows: number, seed: number, classes: readonly string[] = TWO): Table {
  const random = new Random(seed);
  return Table.fromRecords(
    "cases",
    Array.from({ length: rows }, (_, i) => {
      const k = classes.length > 2 ? random.integer(classes.length) : Number(random.uniform() < 0.2);
      return {
        x: 1.3 * k + random.normal(),
        y: random.normal() - 0.4 * k,
        who: `person ${seed} ${i >> 2}`,
        when: i + random.uniform(),
        label: classes[k],
      };
    }),
  );
}

/** The same rows without groups and times. */
export const plain = (rows: number, seed: number, classes?: readonly string[]) =>
  cases(rows, seed, classes).without(["who", "when"]);
