import { Random } from "#core/runtime/maths/random.js";
import { Table } from "#core/table/table.js";

/**
 * Rows of noisy classes in two numeric columns and two columns of categories, with missing cells, and one column
 * without information. `seed` decides the rows; two seeds give two independent draws.
 */
export function blobs(rows: number, seed: number, classes: readonly string[] = ["no", "yes"]): Table {
  const random = new Random(seed);
  const records = Array.from({ length: rows }, (_, i) => {
    const label = i % classes.length;
    return {
      height: random.uniform() < 0.05 ? null : label + 0.6 * random.normal(),
      weight: 10 * random.normal() - 3 * label,
      colour: random.uniform() < 0.05 ? null : ["red", "green", "blue"][random.integer(3)],
      "wears a hat": random.uniform() < 0.3 + 0.3 * label ? "yes" : "no",
      constant: 1,
      label: classes[label],
    };
  });
  return Table.fromRecords("blobs", records);
}
