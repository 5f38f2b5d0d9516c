import { type RowReasons, reasonText } from "vouch/train";

/** Columns of a table of predictions: their names, and the cells of a row. */
interface ReasonColumns {
  readonly header: readonly string[];
  cells(row: number): readonly (string | null)[];
}

/** Makes the columns `reason:1` … `reason:N`, the strongest reason first; empty for columns that change nothing. */
export function reasonColumns(rows: readonly RowReasons[], count: number): ReasonColumns {
  const places = Array.from({ length: count }, (_, i) => i);
  return {
    header: places.map((i) => `reason:${i + 1}`),
    cells: (row) =>
      places.map((i) => {
        const reason = rows[row].reasons.at(i);
        return reason && reason.contribution !== 0 ? reasonText(reason) : null;
      }),
  };
}
