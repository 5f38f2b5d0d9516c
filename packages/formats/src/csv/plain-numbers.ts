import type { Column } from "vouch";
import { numberOf } from "../cell.js";

/** Categories as the numbers they spell, if all are spelled as a program writes numbers: text is got back from them. */
export function plainNumbers(column: Column): Column {
  if (column.kind === "numeric") return column;
  const { name, codes, levels } = column;
  const numbers = levels.map(numberOf);
  if (!levels.every((level, code) => Number.isFinite(numbers[code]) && String(numbers[code]) === level))
    return column;
  return {
    kind: "numeric",
    name,
    values: Float64Array.from(codes, (code) => (code < 0 ? Number.NaN : (numbers[code] ?? Number.NaN))),
  };
}
