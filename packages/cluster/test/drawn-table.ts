import { Table } from "vouch";
import { Random } from "vouch/extend";

/** Draws a table of numbers and categories with a class `y` that depends on some of them. */
export function drawnTable(rows: number, classes = 2, columns = 8, seed = 7): Table {
  const random = new Random(seed);
  const numbers = Array.from({ length: columns }, (_, j) => ({
    kind: "numeric" as const,
    name: `x${j}`,
    values: Float64Array.from({ length: rows }, () => random.uniform()),
  }));
  const colours = Int32Array.from({ length: rows }, () => Math.floor(3 * random.uniform()));
  const codes = Int32Array.from({ length: rows }, (_, i) => {
    const [a, b, c] = numbers.map(({ values }) => values[i]);
    const score = a + b * c + 0.2 * colours[i] + 0.3 * random.uniform();
    return Math.min(classes - 1, Math.floor((score / 2) * classes));
  });
  return new Table("drawn", rows, [
    ...numbers,
    { kind: "categorical", name: "colour", levels: ["red", "green", "blue"], codes: colours },
    {
      kind: "categorical",
      name: "y",
      levels: Array.from({ length: classes }, (_, k) => `class ${k}`),
      codes,
    },
  ]);
}
