import { readFileSync } from "node:fs";
import { Table } from "#core/table/table.js";
import { type Labelled, labelled } from "#core/table/target.js";

/** Reads a shipped data set; all its columns but the last, the class, hold numbers. */
export function shippedRows(name: "iris" | "ionosphere" | "breastcancer"): Labelled {
  const file = new URL(`../../../datasets/data/${name}.csv`, import.meta.url);
  const [header, ...lines] = readFileSync(file, "utf8").trim().split("\n");
  const names = header.split(",");
  const cells = lines.map((line) => line.split(","));
  const target = names[names.length - 1];
  const columns = names.map((column, j): [string, string[] | Float64Array] => {
    const own = cells.map((row) => row[j].trim());
    return [
      column,
      column === target
        ? own
        : Float64Array.from(own, (cell) => (cell === "" || cell === "?" ? Number.NaN : Number(cell))),
    ];
  });
  return labelled(Table.fromColumns(name, Object.fromEntries(columns)), target);
}
