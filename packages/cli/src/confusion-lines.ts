import { type Confusion, formatNumber, formatPercent } from "vouch";
import { alignedTable } from "./aligned-table.js";

/** How many confusions are listed where the matrix does not fit. */
const MOST_PAIRS = 10;

/** The confusion matrix, true classes in rows; where it is too wide, the most frequent confusions. */
export function confusionLines(confusion: Confusion, columns: number): string {
  const table = matrixLines(confusion);
  const widest = Math.max(...table.split("\n").map((line) => line.length));
  return widest <= columns ? table : pairLines(confusion, columns);
}

function matrixLines({ classes, matrix }: Confusion): string {
  const headings = [{ title: "true ↓  predicted →" }, ...classes.map((title) => ({ title, right: true }))];
  const rows = matrix.map((row, i) => [
    classes[i],
    ...row.map((cell) => (cell === 0 ? "·" : formatNumber(cell))),
  ]);
  return alignedTable(headings, rows, Number.POSITIVE_INFINITY);
}

function pairLines({ classes, matrix }: Confusion, columns: number): string {
  const pairs = matrix.flatMap((row, i) =>
    row
      .map((rows, j) => ({ rows, of: row.reduce((a, b) => a + b, 0), from: classes[i], to: classes[j] }))
      .filter(({ rows, from, to }) => rows > 0 && from !== to),
  );
  if (pairs.length === 0) return "  no confusions";
  pairs.sort((a, b) => b.rows - a.rows);
  const headings = [
    { title: "true" },
    { title: "predicted" },
    { title: "rows", right: true },
    { title: "of class", right: true },
  ];
  const rows = pairs
    .slice(0, MOST_PAIRS)
    .map(({ rows, of, from, to }) => [from, to, formatNumber(rows), formatPercent(rows / of)]);
  const more =
    pairs.length > MOST_PAIRS ? `\n  … and ${formatNumber(pairs.length - MOST_PAIRS)} more (see --json)` : "";
  return alignedTable(headings, rows, columns) + more;
}
